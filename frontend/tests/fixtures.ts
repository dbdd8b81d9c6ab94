import type { Point, PointOperation, Run, Sample } from '@/api/runs';

/** Things as the api answers them, each with only what a test cares about given. */
function quantiles(p50: number): PointOperation['response_time_ns'] {
  const values = { p50, p90: p50 * 2, p95: p50 * 3, p99: p50 * 4, p999: p50 * 8, max: p50 * 16 };
  return { ...values, bounds: {}, void: {}, intervals: {} };
}

function bandsAround(p50: number): PointOperation['band']['response_time_ns'] {
  const around = (value: number) => ({ low: value * 0.9, high: value * 1.1 });
  return {
    p50: around(p50),
    p90: around(p50 * 2),
    p95: around(p50 * 3),
    p99: around(p50 * 4),
    p999: around(p50 * 8),
    max: around(p50 * 16),
  };
}

const NO_BAND = { low: null, high: null };

export function operation(throughput_per_s: number, p50 = 100_000, name = 'all'): PointOperation {
  return {
    operation: name,
    trials_counted: 3,
    count: Math.round(throughput_per_s * 5),
    errors: 0,
    errors_by_class: {},
    unanswered: {},
    throughput_per_s,
    elapsed_s: null,
    time_per_operation_ns: null,
    throughput_per_connection_per_s: null,
    response_time_ns: quantiles(p50),
    service_time_ns: quantiles(p50 / 2),
    band: {
      throughput_per_s: { low: throughput_per_s * 0.95, high: throughput_per_s * 1.05 },
      elapsed_s: NO_BAND,
      time_per_operation_ns: NO_BAND,
      throughput_per_connection_per_s: NO_BAND,
      response_time_ns: bandsAround(p50),
      service_time_ns: bandsAround(p50 / 2),
    },
  };
}

export function point(
  parameters: Point['parameters'],
  total: PointOperation | null,
  trust: Trust = 'pass',
): Point {
  const id = JSON.stringify(parameters);
  return {
    id,
    ordinal: 0,
    parameters,
    series_id: null,
    trials: [
      {
        id: `trial of ${id}`,
        ordinal: 0,
        repetition: 0,
        status: 'succeeded',
        trust,
        is_counted: trust !== 'void',
        attempt: 1,
      },
    ],
    operations: total ? [{ ...total, operation: 'get' }] : [],
    total,
    metrics: {},
  };
}
type Trust = Point['trials'][number]['trust'];

export function run(changes: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    origin: 'local',
    provenance: null,
    name: 'memcached against Redis',
    status: 'running',
    status_counts: {
      queued: 1,
      claimed: 0,
      running: 1,
      cancelling: 0,
      succeeded: 2,
      failed: 0,
      cancelled: 0,
      crashed: 0,
    },
    point_count: 4,
    trial_count: 4,
    progress: 0.5,
    estimated_s: 60,
    eta_s: 30,
    agent: { id: 'agent-1', name: 'vm' },
    wait_reason: null,
    priority: 0,
    created_by: { id: 'user-1', name: 'Ada' },
    created_at: '2026-11-21T12:00:00Z',
    started_at: '2026-11-21T12:00:01Z',
    finished_at: null,
    cancel_requested_at: null,
    plan_id: null,
    schedule_id: null,
    paused_at: null,
    plan_version: null,
    recipe: null,
    error: null,
    last_event_seq: 7,
    agent_selector: {},
    definition: definition(),
    axes: [
      { parameter: 'target', values: ['memcached', 'Redis'] },
      { parameter: 'connections', values: [1, 4, 16] },
    ],
    current_trial: null,
    ...changes,
  };
}

function definition(): Run['definition'] {
  const target = (index: number, name: string, kind: string) => ({
    index,
    name,
    kind,
    mode: 'managed' as const,
    profile: 'default',
    options: {},
    target_id: null,
    host: null,
    port: null,
    placement: { cpus: null, memory_limit_bytes: null, data_directory: null, drop_page_cache: false },
  });
  return {
    name: 'memcached against Redis',
    targets: [target(0, 'memcached', 'memcached'), target(1, 'Redis', 'redis')],
    workload: {
      dataset: {
        key_count: 1000,
        key_prefix: 'k',
        key_size_bytes: 16,
        value_size: { kind: 'fixed', bytes: 100 },
        list_length: 1,
        hit_ratio: 1,
        compressible_share: 0,
      },
      operations: [{ kind: 'get', weight: 1, keys_per_request: 1, entries: 100, from_entry: 0, expire_s: 0 }],
      access: { kind: 'uniform' },
    },
    load: { kind: 'closed', connections: 16, pipeline: 1, think_time_us: 0, gather_replies: false },
    threads: 1,
    axes: [{ parameter: 'connections', values: [1, 4, 16] }],
    trials_per_point: 3,
    order: 'interleaved',
    seed: 42,
    rest_s: 0,
    reset: 'restart',
    prefill: true,
    warmup: null,
    stop: { seconds: 5, operations: null },
    verify: false,
    timeout_ms: 5000,
  };
}

/** The `seq`-th second, ending `seq + 1` seconds after noon. */
export function sample(seq: number, changes: Partial<Sample> = {}): Sample {
  return {
    seq,
    phase: 'measure',
    at: new Date(Date.parse('2026-11-21T12:00:01Z') + seq * 1000).toISOString(),
    elapsed_s: seq + 1,
    duration_s: 1,
    in_flight: 16,
    operations: [secondOf('get', 900), secondOf('set', 100)],
    ...changes,
  };
}

export function secondOf(name: string, count: number): Sample['operations'][number] {
  return {
    operation: name,
    count,
    throughput_per_s: count,
    late: 0,
    errors: 0,
    errors_by_class: {},
    unanswered: {},
    hits: count,
    misses: 0,
    response_time_ns: quantiles(100_000),
    service_time_ns: quantiles(50_000),
  };
}
