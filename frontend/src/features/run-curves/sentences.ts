/** What a chart shows, in words, made from the same data. Pure. */
import {
  type ChartSeries,
  failedPoints,
  formatQuantity,
  type Quantity,
  voidPoints,
  zeroPoints,
} from '@/components/charts';
import { countNoun } from '@/lib/format';
import { describeParameter } from '@/lib/parameters';
import { type Selection, valueAtPlace } from './selection';

interface Best {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

function placeName({ axis }: Selection, place: number): string {
  return describeParameter(axis.parameter, valueAtPlace(axis, place));
}

/** A line that stands over its own name needs no place beside it. */
function atPlace(selection: Selection, place: number): string {
  return selection.isApart ? '' : ` at ${placeName(selection, place)}`;
}

function ours(series: readonly ChartSeries[]): ChartSeries[] {
  return series.filter(({ isReference }) => !isReference);
}

export function throughputSentence(series: readonly ChartSeries[], selection: Selection): string {
  const bests = ours(series).flatMap(({ label, points }): Best[] => {
    const drawn = points.filter((point): point is typeof point & { y: number } => point.y !== null);
    const [best] = drawn.sort((a, b) => b.y - a.y);
    return best ? [{ label, x: best.x, y: best.y }] : [];
  });
  if (bests.length === 0) return nothingMeasured(series);
  const parts = bests
    .sort((a, b) => b.y - a.y)
    .map(({ label, x, y }) => `${label} reaches ${formatQuantity(y, 'rate')}${atPlace(selection, x)}`);
  return `${parts.join('; ')}${ratioOf(bests)}.${notesOn(series, selection)}`;
}

function ratioOf(bests: readonly Best[]): string {
  const [first, last] = [bests[0], bests.at(-1)];
  if (!first || !last || bests.length < 2 || last.y <= 0) return '';
  return `, ${(first.y / last.y).toFixed(2)} times between the highest and the lowest`;
}

/** A line that breaks at a place it has no value for was there, and gave no such figure. */
function nothingMeasured(series: readonly ChartSeries[]): string {
  const voids = voidPoints(series).length;
  if (voids > 0)
    return `${countNoun(voids, 'point')}, hatched, of which no trial counts.${referenceNote(series)}`;
  return `No point here has this figure yet.${referenceNote(series)}`;
}

/** The values at the largest x that every line of ours has, and what was published for the same place. */
export function valuesSentence(
  series: readonly ChartSeries[],
  quantity: Quantity,
  selection: Selection,
): string {
  const measured = ours(series).filter(({ points }) => points.some(({ y }) => y !== null));
  if (measured.length === 0) return nothingMeasured(series);
  if (selection.isApart) return apartSentence(series, quantity, selection);
  const x = lastShared(measured);
  if (x === null) return 'No point has been measured at the same place for every line yet.';
  const parts = measured.map(({ label, points }) => {
    const point = points.find((candidate) => candidate.x === x);
    return `${label} ${formatQuantity(point?.y, quantity)}`;
  });
  const published = series.flatMap(({ isReference, label, points }) => {
    const point = isReference ? points.find((candidate) => candidate.x === x) : undefined;
    return point ? [`${label} ${formatQuantity(point.y, quantity)}`] : [];
  });
  const beside = published.length > 0 ? ` Published: ${published.join(', ')}.` : referenceNote(series);
  return `At ${placeName(selection, x)}: ${parts.join(', ')}.${beside}${notesOn(series, selection)}`;
}

function apartSentence(series: readonly ChartSeries[], quantity: Quantity, selection: Selection): string {
  const told = (isReference: boolean) =>
    series.flatMap((one) =>
      Boolean(one.isReference) === isReference && typeof one.points[0]?.y === 'number'
        ? [`${one.label} ${formatQuantity(one.points[0].y, quantity)}`]
        : [],
    );
  const published = told(true);
  const beside = published.length > 0 ? ` Published: ${published.join(', ')}.` : '';
  return `${told(false).join(', ')}.${beside}${notesOn(series, selection)}`;
}

function lastShared(series: readonly ChartSeries[]): number | null {
  const shared = series.map(({ points }) => new Set(points.flatMap(({ x, y }) => (y === null ? [] : [x]))));
  const xs = [...(shared[0] ?? [])].filter((x) => shared.every((values) => values.has(x)));
  return xs.length > 0 ? Math.max(...xs) : null;
}

function referenceNote(series: readonly ChartSeries[]): string {
  const labels = series.filter(({ isReference }) => isReference).map(({ label }) => label);
  return labels.length > 0 ? ` Published figures in grey: ${[...new Set(labels)].join(', ')}.` : '';
}

export function parametricSentence(series: readonly ChartSeries[], quantity: Quantity): string {
  const parts = series.flatMap(({ label, points }) => {
    const last = points.findLast(({ y }) => y !== null);
    if (!last) return [];
    const knee = points.find(({ mark }) => mark !== undefined);
    const bend = knee ? `, its knee (most throughput per time) at ${knee.label}` : '';
    return [
      `${label} ends at ${formatQuantity(last.x, 'rate')} with ${formatQuantity(last.y, quantity)}${last.label === label ? '' : ` (${last.label})`}${bend}`,
    ];
  });
  return parts.length === 0 ? 'No point here has both figures yet.' : `Along the axis, ${parts.join('; ')}.`;
}

function notesOn(series: readonly ChartSeries[], selection: Selection): string {
  const loop = selection.isClosedLoop ? ' Closed loop.' : '';
  return `${loop}${voidNote(series)}${failedNote(series, selection)}`;
}

function voidNote(series: readonly ChartSeries[]): string {
  const count = voidPoints(series).length;
  return count === 0 ? '' : ` ${countNoun(count, 'point')} without a result, hatched, not on any line.`;
}

const NAMED_FAILURES = 3;

/** The points where most failed come first. */
function failedNote(series: readonly ChartSeries[], selection: Selection): string {
  const failed = failedPoints(series).sort((a, b) => b.point.failed.share - a.point.failed.share);
  if (failed.length === 0) return '';
  const named = failed
    .slice(0, NAMED_FAILURES)
    .map(
      ({ series: one, point }) =>
        `${one.label}${atPlace(selection, point.x)}, ${point.failed.text.replace(':', ',')}`,
    );
  const more = failed.length > NAMED_FAILURES ? `; and ${failed.length - NAMED_FAILURES} more` : '';
  return ` Operations failed or were refused (hatched columns, as high as their share): ${named.join('; ')}${more}.`;
}

/** Names what a log axis cannot hold; null when there is nothing to say. */
export function zeroSentence(
  series: readonly ChartSeries[],
  isLog: boolean,
  selection: Selection,
): string | null {
  const zeros = zeroPoints(series, isLog);
  if (zeros.length === 0) return null;
  const named = zeros.map(({ seriesLabel, x }) => `${seriesLabel}${atPlace(selection, x)}`);
  return `Zero has no place on a log axis and is left out: ${named.join(', ')}.`;
}
