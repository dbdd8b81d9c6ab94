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

export function metricTitle(name: string): string {
  return METRICS.find((metric) => metric.name === name)?.title ?? name;
}

/** What the charts call the unit that the api's values are in. */
export function quantityOfUnit(unit: string): 'rate' | 'duration' | 'share' | 'seconds' | 'plain' {
  if (unit === 'ops/s') return 'rate';
  if (unit === 'ns') return 'duration';
  if (unit === 'ratio') return 'share';
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
  return name.endsWith('_s') ? 's' : '';
}
