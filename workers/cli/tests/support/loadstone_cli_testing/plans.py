"""Plan files for tests: line numbers matter, so they are written out."""

SMALL = """\
# yaml-language-server: $schema=plan.schema.json
name: small
targets:
  - kind: memcached
    profile: default
  - kind: redis
    profile: none
workload:
  dataset:
    key_count: 1000
    value_size: {kind: fixed, bytes: 100}
  operations:
    - {kind: get, weight: 1}
load: {kind: closed, connections: 1}
axes:
  - parameter: connections
    values: [1, 2]
trials_per_point: 2
order: sequential
seed: 1
stop: {seconds: 1}
"""
