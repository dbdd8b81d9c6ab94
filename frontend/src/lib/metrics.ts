/** What series and panels can be drawn by; the names are the api's. */
export interface Metric {
  readonly name: string;
  readonly title: string;
}

const QUANTILES = [
  ['p50', 'p50'],
  ['p90', 'p90'],
  ['p95', 'p95'],
  ['p99', 'p99'],
  ['p999', 'p99.9'],
  ['max', 'maximum'],
] as const;

export const METRICS: readonly Metric[] = [
  { name: 'throughput_per_s', title: 'Throughput' },
  ...QUANTILES.map(([name, title]) => ({
    name: `response_time_${name}_ns`,
    title: `Response time, ${title}`,
  })),
  ...QUANTILES.map(([name, title]) => ({ name: `service_time_${name}_ns`, title: `Service time, ${title}` })),
  { name: 'error_share', title: 'Share of failed operations' },
  { name: 'elapsed_s', title: 'Duration of the measure phase' },
];

/** Of single runs only: nobody follows them over time or compares by them. */
const FURTHER: readonly Metric[] = [
  { name: 'time_per_operation_ns', title: 'Time per operation of one client' },
  { name: 'throughput_per_connection_per_s', title: 'Throughput of one client' },
  { name: 'memory_after_prefill_bytes', title: 'Memory of the server after prefill' },
  { name: 'memory_peak_bytes', title: 'Peak memory of the server' },
  { name: 'disk_after_bytes', title: 'Bytes on disk afterwards' },
  { name: 'lost_share', title: 'Keys lost to the kill' },
  { name: 'torn_share', title: 'Keys torn by the kill' },
  { name: 'lost_window_ns', title: 'Age of the oldest lost write' },
  { name: 'replica_lag_p50_ns', title: 'Lag of the replica, p50' },
  { name: 'replica_lag_p99_ns', title: 'Lag of the replica, p99' },
  { name: 'replica_lag_max_ns', title: 'Lag of the replica, maximum' },
  { name: 'replica_lag_lost_share', title: 'Markers that missed the replica' },
];

export function metricTitle(name: string): string {
  return [...METRICS, ...FURTHER].find((metric) => metric.name === name)?.title ?? name;
}

/** What the charts call the unit that the api's values are in. */
export function quantityOfUnit(unit: string): 'rate' | 'duration' | 'share' | 'seconds' | 'bytes' | 'plain' {
  if (unit === 'ops/s') return 'rate';
  if (unit === 'ns') return 'duration';
  if (unit === 'ratio') return 'share';
  if (unit === 'B' || unit === 'bytes') return 'bytes';
  return unit === 's' ? 'seconds' : 'plain';
}

/** "+3.1 %": a relative change with its sign. */
export function formatChange(change: number): string {
  const percent = change * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(digits)} %`;
}

/** The unit that the api's values of this metric are in. */
export function unitOfMetric(name: string): string {
  if (name.endsWith('_per_s')) return 'ops/s';
  if (name.endsWith('_ns')) return 'ns';
  if (name.endsWith('_share')) return 'ratio';
  if (name.endsWith('_bytes')) return 'B';
  return name.endsWith('_s') ? 's' : '';
}
