/** Points of a run as lines of a chart. Pure. */
import type { Point, PointOperation } from '@/api/runs';
import type { ChartPoint, ChartSeries, Zoom } from '@/components/charts';
import { countNoun } from '@/lib/format';
import { describeParameter } from '@/lib/parameters';
import { axisValue, operationOf, PERCENTILES, type Percentile, type Selection } from './selection';

interface Reading {
  readonly y: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

type Read = (numbers: PointOperation) => Reading;

const readThroughput: Read = ({ throughput_per_s, band }) => ({
  y: throughput_per_s,
  ...band.throughput_per_s,
});

function readTime({ clock }: Selection, percentile: Percentile): Read {
  return (numbers) => ({ y: numbers[clock][percentile], ...numbers.band[clock][percentile] });
}

export function throughputSeries(points: readonly Point[], selection: Selection): ChartSeries[] {
  return seriesOf(points, selection, readThroughput, (target) => ({ key: target, label: target }));
}

/** One line a target and percentile; further percentiles are tints of the target's colour. */
export function timeSeries(points: readonly Point[], selection: Selection): ChartSeries[] {
  const { percentiles } = selection;
  const ranked = PERCENTILES.filter((name) => percentiles.includes(name)).reverse();
  return ranked.flatMap((percentile, index) =>
    seriesOf(points, selection, readTime(selection, percentile), (target) => ({
      key: ranked.length === 1 ? target : `${target} ${percentile}`,
      label: ranked.length === 1 ? target : `${target} ${percentileTitle(percentile)}`,
      tint: ranked.length === 1 ? 0 : index / ranked.length,
    })),
  );
}

/** Response time (or service time) over throughput, joined in the order of the axis; `zoom` is a range of that axis. */
export function latencyOverThroughput(
  points: readonly Point[],
  selection: Selection,
  zoom: Zoom | null,
): ChartSeries[] {
  const percentile = selection.percentiles.at(-1) ?? 'p99';
  const read = readTime(selection, percentile);
  return selection.targets.map((target, lookIndex) => {
    const drawn = ofTarget(points, target, selection).flatMap((point) => {
      const numbers = operationOf(point, selection.operation);
      const place = axisValue(point, selection.axis);
      if (!numbers || (zoom && (place < zoom[0] || place > zoom[1]))) return [];
      const label = describeParameter(selection.axis.parameter, place);
      return [{ ...chartPoint(point, numbers, read, numbers.throughput_per_s), label }];
    });
    const knee = kneeOf(drawn);
    return {
      key: target,
      label: target,
      lookIndex,
      points: drawn.map((point, index) => (index === knee ? { ...point, mark: 'knee' } : point)),
    };
  });
}

/** Where a curve of at least this many points can have an inside. */
const LEAST_FOR_KNEE = 3;

/**
 * The place of the knee: the greatest throughput per response time, Kleinrock's power (Jain, The Art of Computer Systems
 * Performance Analysis, 1991, 33.3). Null when it would be an end of the curve: then the knee lies outside what was measured.
 */
export function kneeOf(points: readonly ChartPoint[]): number | null {
  const power = points.map(({ x, y }) => (y !== null && y > 0 ? x / y : 0));
  const knee = power.indexOf(Math.max(...power));
  const isInside = points.length >= LEAST_FOR_KNEE && knee > 0 && knee < points.length - 1;
  return isInside ? knee : null;
}

type Naming = (target: string) => { key: string; label: string; tint?: number };

function seriesOf(points: readonly Point[], selection: Selection, read: Read, name: Naming): ChartSeries[] {
  return selection.targets.map((target, lookIndex) => ({
    ...name(target),
    lookIndex,
    points: ofTarget(points, target, selection).flatMap((point) => {
      const numbers = operationOf(point, selection.operation);
      const x = axisValue(point, selection.axis);
      if (numbers) return [chartPoint(point, numbers, read, x)];
      return isVoid(point) ? [voidPoint(point, x)] : [];
    }),
  }));
}

function ofTarget(points: readonly Point[], target: string, { axis }: Selection): Point[] {
  return points
    .filter(({ parameters }) => parameters.target === target)
    .sort((a, b) => axisValue(a, axis) - axisValue(b, axis));
}

function chartPoint(point: Point, numbers: PointOperation, read: Read, x: number): ChartPoint {
  const hasWarning = point.trials.some(({ trust }) => trust === 'warn');
  const voided = point.trials.filter(({ trust }) => trust === 'void').length;
  return {
    x,
    ...read(numbers),
    trialsCounted: numbers.trials_counted,
    trust: hasWarning ? 'warn' : 'pass',
    note: voided > 0 ? `${countNoun(voided, 'trial')} void` : undefined,
  };
}

/** No trial of it counts, and at least one ended void. */
export function isVoid({ total, trials }: Point): boolean {
  return total === null && trials.some(({ trust }) => trust === 'void');
}

function voidPoint(point: Point, x: number): ChartPoint {
  const voided = point.trials.filter(({ trust }) => trust === 'void').length;
  return { x, y: null, trust: 'void', trialsCounted: 0, note: `${countNoun(voided, 'trial')} void` };
}

export function percentileTitle(percentile: Percentile): string {
  return percentile === 'p999' ? 'p99.9' : percentile;
}

/** Lines that the legend has switched off. A percentile's line goes with its target. */
export function shownSeries(
  series: readonly ChartSeries[],
  targets: readonly string[],
  hidden: ReadonlySet<string>,
) {
  return series.filter(({ lookIndex }) => !hidden.has(targets[lookIndex] ?? ''));
}
