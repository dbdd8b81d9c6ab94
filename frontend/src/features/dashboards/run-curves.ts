/** A run's points as the lines of one panel. Pure. */
import type { Point, PointOperation, Run } from '@/api/runs';
import { type ChartPoint, type ChartSeries, formatQuantity, type Quantity } from '@/components/charts';
import { describeParameter } from '@/lib/parameters';
import { believedNs, type QuantileName } from '@/lib/quantile';

export interface CurveChoice {
  /** Null when no axis has numbers: the points stand in their order. */
  readonly axis: string | null;
  readonly metric: string;
  readonly operation: string;
}

export function axisOf(run: Run, wanted: string | null): string | null {
  const numeric = run.axes.filter(({ values }) =>
    values.every((value) => typeof value === 'number' && value > 0),
  );
  const found = numeric.find(({ parameter }) => parameter === wanted);
  return (found ?? numeric[0])?.parameter ?? null;
}

export function quantityOfMetric(metric: string): Quantity {
  if (metric.endsWith('_per_s')) return 'rate';
  if (metric.endsWith('_ns')) return 'duration';
  return metric === 'error_share' ? 'share' : 'plain';
}

/** One line for each target and each value of the further axes. */
export function curvesOf(run: Run, points: readonly Point[], choice: CurveChoice): ChartSeries[] {
  const targets = run.definition.targets.map(({ name }) => name);
  const lines = new Map<string, { lookIndex: number; points: ChartPoint[] }>();
  for (const point of points) {
    const target = String(point.parameters.target ?? targets[0] ?? '');
    const label = [target, ...furtherParameters(point, choice.axis)].join(' · ');
    const line = lines.get(label) ?? { lookIndex: Math.max(0, targets.indexOf(target)), points: [] };
    line.points.push(pointOf(point, choice));
    lines.set(label, line);
  }
  return [...lines].map(([label, { lookIndex, points: shown }]) => ({
    key: label,
    label,
    lookIndex,
    points: shown.sort((a, b) => a.x - b.x),
  }));
}

function furtherParameters({ parameters }: Point, axis: string | null): string[] {
  return Object.entries(parameters)
    .filter(([name]) => name !== 'target' && name !== axis)
    .map(([name, value]) => describeParameter(name, value));
}

function pointOf(point: Point, { axis, metric, operation }: CurveChoice): ChartPoint {
  const numbers =
    operation === 'all' ? point.total : (point.operations.find((one) => one.operation === operation) ?? null);
  const x = axis === null ? point.ordinal + 1 : Number(point.parameters[axis]);
  return { x, ...numberOf(numbers, metric), trialsCounted: numbers?.trials_counted };
}

const TIME = /^(response|service)_time_(p50|p90|p95|p99|p999|max)_ns$/;

function numberOf(numbers: PointOperation | null, metric: string): Pick<ChartPoint, 'y' | 'low' | 'high'> {
  if (!numbers) return { y: null };
  if (metric === 'throughput_per_s') return { y: numbers.throughput_per_s, ...numbers.band.throughput_per_s };
  if (metric === 'error_share') return { y: numbers.errors / Math.max(1, numbers.count + numbers.errors) };
  const [, kind, quantile] = TIME.exec(metric) ?? [];
  if (!kind || !quantile) return { y: null };
  const clock = kind === 'service' ? 'service_time_ns' : 'response_time_ns';
  const name = quantile as QuantileName;
  return { y: believedNs(numbers[clock], name), ...numbers.band[clock][name] };
}

/** The best end of each line, in words. */
export function describeCurves(series: readonly ChartSeries[], quantity: Quantity): string {
  const parts = series.flatMap(({ label, points }) => {
    const values = points.flatMap(({ y }) => (y === null ? [] : [y]));
    if (values.length === 0) return [];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [`${label}: ${formatQuantity(low, quantity)} to ${formatQuantity(high, quantity)}`];
  });
  return parts.length > 0 ? `${parts.join('; ')}.` : 'No point of this run counts for this metric.';
}
