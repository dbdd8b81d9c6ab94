#!/usr/bin/env bash
# Benchmarks this build and fails when it is slower than the last good build of the main branch.
#
#   benchmark.sh PLAN BRANCH
#
# Needs LOADSTONE_URL and LOADSTONE_TOKEN (an API token with the scope "run"). MARGIN is the percentage that does not
# matter (5), TIMEOUT_S how long to wait (3600). Exit codes are those of `loadstone`: 0 passed, 1 worse, 4 the run
# failed; see `loadstone --help`. A comparison without a verdict passes with a note; REQUIRE_VERDICT=1 makes it exit 6.
set -euo pipefail

plan=${1:?a plan file}
branch=${2:?the branch that is built}
main=${MAIN_BRANCH:-main}

loadstone plan validate "$plan"

# The base is chosen before the run: on the main branch the new run has the same name.
base=$(loadstone runs "$main" --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["run"]["id"])' 2>/dev/null || true)

result=$(mktemp)
trap 'rm -f "$result"' EXIT
loadstone run "$plan" --name "$branch" --wait --timeout "${TIMEOUT_S:-3600}" --cancel-on-interrupt --json >"$result"
run=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["run"]["id"])' "$result")
loadstone export "$run" --format csv --output benchmark.csv

if [ -z "$base" ]; then
  echo "There is no run named $main yet: this one is kept, and there is nothing to compare it with."
  exit 0
fi
verdict=0
loadstone compare "$base" "$run" --fail-on worse --margin "${MARGIN:-5}" || verdict=$?
if [ "$verdict" -eq 6 ] && [ -z "${REQUIRE_VERDICT:-}" ]; then
  echo "No verdict yet: builds of $main on other days show how much sessions differ, and there are too few of them."
  exit 0
fi
exit "$verdict"
