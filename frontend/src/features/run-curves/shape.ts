/** Points of a run as lines of a chart. Pure. */
import type { Point, PointOperation } from '@/api/runs';
import type { ChartPoint, ChartSeries, FailedShare, Zoom } from '@/components/charts';
import { countNoun, formatCount, formatPercent } from '@/lib/format';
import { describeParameter } from '@/lib/parameters';
import { type CurveMetric, failedShare, percentileTitle, timesMetric } from './metrics';
import { boundValue, operationOf, type Percentile, placeOf, type Selection, valueAtPlace } from './selection';

/** A line of a chart, and what of the run it is. */
export interface CurveLine extends ChartSeries {
  /** A value of the axis of lines. */
  readonly line: string;
  /** A percentile, or nothing. */
  readonly part: string;
  /** The published label that it is drawn from. */
  readonly reference?: string;
  /** The line that its values were published as ratios to. */
  readonly ratioTo?: string;
}

/** Under which the legend knows a published line. */
export function referenceKey(label: string): string {
  return `published:${label}`;
}

/** One line a value of the axis of lines and part of the metric; further parts are tints of its colour. */
export function curveLines(
  points: readonly Point[],
  selection: Selection,
  { parts, read, isOfPoint }: CurveMetric,
): CurveLine[] {
  return parts.flatMap((part, index) =>
    selection.lines.map((line, lookIndex) => {
      const placed = ofLine(points, line, selection);
      return {
        key: parts.length === 1 ? line : `${line} ${part}`,
        label: parts.length === 1 ? line : `${line} ${percentileTitle(part as Percentile)}`,
        line,
        part,
        lookIndex,
        ...(parts.length === 1 ? {} : { tint: index / parts.length }),
        isUnjoined: !selection.axis.isNumeric,
        // Others may have been measured at more places; a place of its own that has no value is a gap.
        isJoined: selection.axis.isNumeric,
        breaks: placed.filter(({ point }) => read(point, part) === null).map(({ place }) => place),
        points: placed.flatMap(({ point, place }) => {
          const reading = read(point, part);
          if (reading) {
            const told = circumstancesOf(point, selection);
            return [{ x: place, ...reading, ...told, failed: isOfPoint ? undefined : told.failed }];
          }
          return hasNoResult(point) ? [missingPoint(point, place)] : [];
        }),
      };
    }),
  );
}

interface Placed {
  readonly point: Point;
  readonly place: number;
}

function ofLine(points: readonly Point[], line: string, { axis, lineAxis }: Selection): Placed[] {
  return points
    .filter(({ parameters }) => String(boundValue(parameters, lineAxis)) === line)
    .flatMap((point) => {
      const place = placeOf(point.parameters, axis);
      return place === null ? [] : [{ point, place }];
    })
    .sort((a, b) => a.place - b.place);
}

function circumstancesOf(point: Point, { operation }: Selection): Partial<ChartPoint> {
  const numbers = operationOf(point, operation);
  const hasWarning = point.trials.some(({ trust }) => trust === 'warn');
  return {
    trialsCounted: numbers?.trials_counted,
    trust: hasWarning ? 'warn' : 'pass',
    note: troublesOf(point) || undefined,
    failed: numbers ? failedOf(numbers) : undefined,
  };
}

/** What failed or was refused among the operations of a point; nothing where all were answered. */
export function failedOf(numbers: PointOperation): FailedShare | undefined {
  if (numbers.errors === 0) return undefined;
  const share = failedShare(numbers);
  const classes = Object.entries(numbers.errors_by_class)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name.replaceAll('_', ' ')} ${formatCount(count)}`);
  const named = classes.length > 0 ? `: ${classes.join(', ')}` : '';
  return { share, text: `${formatCount(numbers.errors)} failed (${formatPercent(share)})${named}` };
}

function isFailed({ status }: Point['trials'][number]): boolean {
  return status === 'failed' || status === 'crashed';
}

/** It ended void, failed or crashed. */
export function isUnusable(trial: Point['trials'][number]): boolean {
  return trial.trust === 'void' || isFailed(trial);
}

/** No trial of it counts, and at least one is unusable. */
export function hasNoResult({ total, trials }: Point): boolean {
  return total === null && trials.some(isUnusable);
}

function missingPoint(point: Point, x: number): ChartPoint {
  return { x, y: null, trust: 'void', trialsCounted: 0, note: troublesOf(point) };
}

/** "1 trial void, 2 trials failed". */
function troublesOf({ trials }: Point): string {
  const voided = trials.filter(({ trust }) => trust === 'void').length;
  const failed = trials.filter(isFailed).length;
  return [
    ...(voided > 0 ? [`${countNoun(voided, 'trial')} void`] : []),
    ...(failed > 0 ? [`${countNoun(failed, 'trial')} failed`] : []),
  ].join(', ');
}

/** Response time (or service time) over throughput, joined in the order of the axis; `zoom` is a range of that axis. */
export function latencyOverThroughput(
  points: readonly Point[],
  selection: Selection,
  zoom: Zoom | null,
): CurveLine[] {
  const percentile = selection.percentiles.at(-1) ?? 'p99';
  const { read } = timesMetric(selection);
  return selection.lines.map((line, lookIndex) => {
    const drawn = ofLine(points, line, selection).flatMap(({ point, place }) => {
      const numbers = operationOf(point, selection.operation);
      const reading = read(point, percentile);
      if (!numbers || !reading || (zoom && (place < zoom[0] || place > zoom[1]))) return [];
      const label = describeParameter(selection.axis.parameter, valueAtPlace(selection.axis, place));
      return [{ x: numbers.throughput_per_s, ...reading, ...circumstancesOf(point, selection), label }];
    });
    const knee = LOADS.has(selection.axis.parameter) ? kneeOf(drawn) : null;
    return {
      key: line,
      label: line,
      line,
      part: '',
      lookIndex,
      isUnjoined: !selection.axis.isNumeric,
      points: drawn.map((point, index) => (index === knee ? { ...point, mark: 'knee' } : point)),
    };
  });
}

/** Axes along which the load grows: a knee is where more of it stops paying. */
const LOADS: ReadonlySet<string> = new Set(['connections', 'pipeline', 'rate_per_s', 'threads']);

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

/** Lines that the legend has switched off. A percentile's line goes with its target. */
export function shownLines(lines: readonly CurveLine[], hidden: ReadonlySet<string>): CurveLine[] {
  return lines.filter(
    ({ line, reference }) => !hidden.has(reference === undefined ? line : referenceKey(reference)),
  );
}

/** What an engine cannot do is the same in all of its trials. */
export function oneTrialAnEngine(points: readonly Point[]): string[] {
  const found = new Map<unknown, string>();
  for (const { parameters, trials } of points) {
    const ended = trials.find(({ status }) => status === 'succeeded');
    if (ended && !found.has(parameters.engine)) found.set(parameters.engine, ended.id);
  }
  return [...found.values()];
}

/** More rows than anybody reads: the trials tab has the rest. */
const MOST_KILLED = 60;

/** Trials that killed their store, and count. */
export function killedTrials(points: readonly Point[]): string[] {
  return points
    .filter(({ metrics }) => metrics?.lost_share !== undefined)
    .flatMap(({ trials }) => trials.filter(({ is_counted }) => is_counted))
    .slice(0, MOST_KILLED)
    .map(({ id }) => id);
}
