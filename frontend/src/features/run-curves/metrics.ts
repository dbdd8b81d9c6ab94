/** What can stand on the y axis of a curve. Pure. */
import type { Point, PointOperation } from '@/api/runs';
import type { Quantity } from '@/components/charts';
import { metricTitle, quantityOfUnit, unitOfMetric } from '@/lib/metrics';
import { believedNs } from '@/lib/quantile';
import { type CurveView, operationOf, PERCENTILES, type Percentile, type Selection } from './selection';

export interface Reading {
  readonly y: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface CurveMetric {
  readonly name: string;
  readonly title: string;
  readonly quantity: Quantity;
  /** Lines of one target: percentiles, the slowest first; one nameless part for everything else. */
  readonly parts: readonly string[];
  /** Of the point as a whole: how many of its operations failed says nothing about it. */
  readonly isOfPoint?: boolean;
  /** Null where the point does not have it. */
  readonly read: (point: Point, part: string) => Reading | null;
}

const NO_PARTS = [''] as const;

/** The three charts together, which is what a run shows first. */
export const OVERVIEW = 'overview';
export const TIMES = 'times';
const OF_OPERATIONS = [
  'throughput_per_s',
  'elapsed_s',
  'time_per_operation_ns',
  'throughput_per_connection_per_s',
] as const;

export function percentileTitle(percentile: Percentile): string {
  return percentile === 'p999' ? 'p99.9' : percentile;
}

type Named = Readonly<Record<string, unknown>>;

/** Every metric of operations is a number of `PointOperation` under its own name, its band under the same. */
function readNumber(name: string, { operation }: Selection): CurveMetric['read'] {
  return (point) => {
    const numbers = operationOf(point, operation);
    if (!numbers) return null;
    const value = (numbers as unknown as Named)[name];
    if (typeof value !== 'number') return null;
    const band = (numbers.band as unknown as Named)[name] as Partial<Reading> | undefined;
    return { y: value, low: band?.low ?? null, high: band?.high ?? null };
  };
}

function readTime({ clock, operation }: Selection): CurveMetric['read'] {
  return (point, part) => {
    const numbers = operationOf(point, operation);
    const percentile = part as Percentile;
    return numbers && { y: believedNs(numbers[clock], percentile), ...numbers.band[clock][percentile] };
  };
}

export function failedShare({ count, errors }: PointOperation): number {
  return errors / Math.max(1, count + errors);
}

export function throughputMetric(selection: Selection): CurveMetric {
  return numberMetric('throughput_per_s', selection);
}

function numberMetric(name: string, selection: Selection): CurveMetric {
  return {
    name,
    title: metricTitle(name),
    quantity: quantityOfUnit(unitOfMetric(name)),
    parts: NO_PARTS,
    read: readNumber(name, selection),
  };
}

export function timesMetric(selection: Selection): CurveMetric {
  const clock = selection.clock === 'response_time_ns' ? 'Response time' : 'Service time';
  const ranked = PERCENTILES.filter((name) => selection.percentiles.includes(name));
  return {
    name: TIMES,
    title: `${clock} ${selection.percentiles.map(percentileTitle).join(', ')}`,
    quantity: 'duration',
    parts: ranked.reverse(),
    read: readTime(selection),
  };
}

function failuresMetric({ operation }: Selection): CurveMetric {
  return {
    name: 'error_share',
    title: metricTitle('error_share'),
    quantity: 'share',
    parts: NO_PARTS,
    read: (point) => {
      const numbers = operationOf(point, operation);
      return numbers && { y: failedShare(numbers), low: null, high: null };
    },
  };
}

/** Of the point as a whole: memory, disk. */
function pointMetric(name: string): CurveMetric {
  return {
    name,
    title: metricTitle(name),
    quantity: quantityOfUnit(unitOfMetric(name)),
    parts: NO_PARTS,
    isOfPoint: true,
    read: ({ metrics }) => {
      const found = metrics?.[name];
      return found ? { y: found.mean, low: found.low ?? null, high: found.high ?? null } : null;
    },
  };
}

/** Those that the points have. */
export function metricsOf(points: readonly Point[], selection: Selection): CurveMetric[] {
  const further = [...new Set(points.flatMap(({ metrics }) => Object.keys(metrics ?? {})))];
  const known = [
    ...OF_OPERATIONS.map((name) => numberMetric(name, selection)),
    timesMetric(selection),
    failuresMetric(selection),
    ...further.map(pointMetric),
  ];
  const isMeasured = ({ read, parts }: CurveMetric) =>
    points.some((point) => parts.some((part) => read(point, part) !== null));
  return known.filter((metric) => metric.name === 'throughput_per_s' || isMeasured(metric));
}

/** What a run that kills its stores is about. */
export function metricOfKill(metrics: readonly CurveMetric[]): string | undefined {
  return metrics.find(({ name }) => name === 'lost_share')?.name;
}

/** Which switch of the URL says whether the axis is logarithmic, and what it is without one. */
export function logOf(quantity: Quantity, view: CurveView): { name: LogName; isOn: boolean } {
  if (quantity === 'ratio') return { name: 'logr', isOn: view.logr ?? true };
  if (quantity === 'duration') return { name: 'logt', isOn: view.logt ?? true };
  return { name: 'logy', isOn: view.logy ?? quantity === 'seconds' };
}

export type LogName = 'logy' | 'logt' | 'logr';
