import type { Quantity } from './scale';

export interface ChartPoint {
  readonly x: number;
  readonly y: number | null;
  /** The band over trials. */
  readonly low?: number | null;
  readonly high?: number | null;
  readonly trialsCounted?: number;
  readonly trust?: 'pass' | 'warn' | 'void' | 'pending';
  /** Why a point is void or missing, in words. */
  readonly note?: string;
  /** A person took it out: seen as a hollow ring, on no line. */
  readonly isExcluded?: boolean;
  /** What the point is bound to where x does not say it ("64 connections"). */
  readonly label?: string;
  /** A word beside the point, which is then ringed. */
  readonly mark?: string;
  /** Operations of this point that failed or were refused. */
  readonly failed?: FailedShare;
}

export interface FailedShare {
  /** Of all that were sent, 0 to 1. */
  readonly share: number;
  /** How many, and of which class. */
  readonly text: string;
}

export interface ChartSeries {
  readonly key: string;
  readonly label: string;
  /** Place in the palette: of the target, not of the series. */
  readonly lookIndex: number;
  /** 0 to 1; lighter for further percentiles of one target. */
  readonly tint?: number;
  /** Many points close together: a line without markers, solid, or dashed where it is a tint. */
  readonly isBare?: boolean;
  /** The line joins its points across the x of other lines. */
  readonly isJoined?: boolean;
  /** Where a joined line ends and begins again: an x of its own at which it has no value. */
  readonly breaks?: readonly number[];
  /** Points of an axis of names: nothing lies between them, so no line does. */
  readonly isUnjoined?: boolean;
  /** Somebody else's figures: grey, dashed. */
  readonly isReference?: boolean;
  readonly points: readonly ChartPoint[];
}

export interface ChartAxis {
  readonly title: string;
  readonly quantity: Quantity;
  readonly isLog: boolean;
  /** False where differences matter more than the distance from zero. */
  readonly fromZero?: boolean;
  /** Given when several charts share a scale. */
  readonly values?: readonly number[];
  /** An axis of names: its n-th stands at n. */
  readonly names?: readonly string[];
}

export interface ChartSpan {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** Something that happened at one x: a vertical line, or a flag. */
export interface ChartMark {
  readonly key: string;
  readonly x: number;
  /** Where it ended, if it lasted: the stretch between is shaded. */
  readonly until?: number;
  readonly kind: 'change' | 'flag';
  readonly label: string;
  /** Written beside the line in its place; empty where the line says enough. */
  readonly short?: string;
  readonly tone?: 'good' | 'bad';
}

/** A stretch of y with a name. */
export interface ChartLevel {
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

export type Zoom = readonly [from: number, to: number];

/** One row for each x, as Recharts wants it: `values[n]` and `bands[n]` of the n-th series. */
export interface ChartRow {
  readonly x: number;
  readonly values: (number | null)[];
  readonly bands: ([number, number] | null)[];
  readonly points: (ChartPoint | null)[];
}

/** Zero and below cannot stand on a log axis: they become gaps, and `zeroPoints` names them. */
export function toRows(series: readonly ChartSeries[], isLog: boolean): ChartRow[] {
  const rows = new Map<number, ChartRow>();
  series.forEach(({ points }, index) => {
    for (const point of points) {
      const row = rows.get(point.x) ?? emptyRow(point.x, series.length);
      row.values[index] = point.isExcluded ? null : drawable(point.y, isLog);
      row.bands[index] = point.isExcluded ? null : bandOf(point, isLog);
      row.points[index] = point;
      rows.set(point.x, row);
    }
  });
  return [...rows.values()].sort((a, b) => a.x - b.x);
}

function emptyRow(x: number, width: number): ChartRow {
  return {
    x,
    values: new Array<null>(width).fill(null),
    bands: new Array<null>(width).fill(null),
    points: new Array<null>(width).fill(null),
  };
}

function drawable(value: number | null | undefined, isLog: boolean): number | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return isLog && value <= 0 ? null : value;
}

function bandOf(point: ChartPoint, isLog: boolean): [number, number] | null {
  const low = drawable(point.low, isLog);
  const high = drawable(point.high, isLog);
  return low === null || high === null ? null : [low, high];
}

/** The stretches of x that a line of this series joins its points within, both ends excluded. */
export function stretchesOf({ points, breaks }: ChartSeries, isLog: boolean): [from: number, to: number][] {
  if (!breaks) return [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]];
  const gaps = points.filter(({ y, isExcluded }) => !isExcluded && drawable(y, isLog) === null);
  const edges = [...new Set([...breaks, ...gaps.map(({ x }) => x)])].sort((a, b) => a - b);
  const starts = [Number.NEGATIVE_INFINITY, ...edges];
  return starts
    .map((from, index): [number, number] => [from, edges[index] ?? Number.POSITIVE_INFINITY])
    .filter(([from, to]) => points.some(({ x }) => x > from && x < to));
}

export interface ZeroPoint {
  readonly seriesLabel: string;
  readonly x: number;
}

export function zeroPoints(series: readonly ChartSeries[], isLog: boolean): ZeroPoint[] {
  if (!isLog) return [];
  return series.flatMap(({ label, points }) =>
    points.filter(({ y }) => y !== null && y <= 0).map(({ x }) => ({ seriesLabel: label, x })),
  );
}

export function voidPoints(series: readonly ChartSeries[]): { series: ChartSeries; point: ChartPoint }[] {
  return series.flatMap((one) =>
    one.points.filter(({ trust }) => trust === 'void').map((point) => ({ series: one, point })),
  );
}

export interface FailedPoint {
  readonly series: ChartSeries;
  readonly point: ChartPoint & { readonly failed: FailedShare };
}

export function failedPoints(series: readonly ChartSeries[]): FailedPoint[] {
  return series.flatMap((one) =>
    one.points.flatMap((point) =>
      point.failed ? [{ series: one, point: { ...point, failed: point.failed } }] : [],
    ),
  );
}

export function excludedPoints(series: readonly ChartSeries[]): { series: ChartSeries; point: ChartPoint }[] {
  return series.flatMap((one) =>
    one.points
      .filter(({ isExcluded, y }) => isExcluded && y !== null)
      .map((point) => ({ series: one, point })),
  );
}

/** Every number the y axis must hold, bands included. */
export function yValues(series: readonly ChartSeries[], zoom: Zoom | null): number[] {
  const isShown = ({ x }: ChartPoint) => !zoom || (x >= zoom[0] && x <= zoom[1]);
  return series
    .flatMap(({ points }) => points.filter(isShown).flatMap(({ y, low, high }) => [y, low, high]))
    .filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

const STEP_PX = 12;
const SPREAD_PX = 84;
/** Of the room of a name: the next one's points begin beyond. */
const SPREAD_SHARE = 0.8;

/**
 * Points over names stand side by side, not on top of each other: how far each series moves, in pixels.
 * @param roomPx from one name to the next
 */
export function sideways(
  series: readonly ChartSeries[],
  roomPx = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, number> {
  const unjoined = series.filter(({ isUnjoined }) => isUnjoined);
  const beside = haveSharedPlace(unjoined) ? unjoined : [];
  const spread = Math.min(SPREAD_PX, roomPx * SPREAD_SHARE);
  const step = Math.min(STEP_PX, spread / Math.max(1, beside.length));
  return new Map(beside.map(({ key }, index) => [key, (index - (beside.length - 1) / 2) * step]));
}

function haveSharedPlace(series: readonly ChartSeries[]): boolean {
  const places = series.flatMap(({ points }) => [...new Set(points.map(({ x }) => x))]);
  return new Set(places).size < places.length;
}
