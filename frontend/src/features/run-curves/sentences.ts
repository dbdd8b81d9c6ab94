/** What a chart shows, in words, made from the same data. Pure. */
import { type ChartSeries, formatQuantity, type Quantity, voidPoints, zeroPoints } from '@/components/charts';
import { countNoun } from '@/lib/format';
import { describeParameter } from '@/lib/parameters';
import type { Selection } from './selection';

interface Best {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

export function throughputSentence(
  series: readonly ChartSeries[],
  { axis, isClosedLoop }: Selection,
): string {
  const bests = series.flatMap(({ label, points }): Best[] => {
    const drawn = points.filter((point): point is typeof point & { y: number } => point.y !== null);
    const [best] = drawn.sort((a, b) => b.y - a.y);
    return best ? [{ label, x: best.x, y: best.y }] : [];
  });
  if (bests.length === 0) return 'No point has been measured yet.';
  const parts = bests
    .sort((a, b) => b.y - a.y)
    .map(
      ({ label, x, y }) =>
        `${label} reaches ${formatQuantity(y, 'rate')} at ${describeParameter(axis.parameter, x)}`,
    );
  return `${parts.join('; ')}${ratioOf(bests)}.${loopNote(isClosedLoop)}${voidNote(series)}`;
}

function ratioOf(bests: readonly Best[]): string {
  const [first, last] = [bests[0], bests.at(-1)];
  if (!first || !last || bests.length < 2 || last.y <= 0) return '';
  return `, ${(first.y / last.y).toFixed(2)} times between the highest and the lowest`;
}

/** The values at the largest x that every line has. */
export function timeSentence(series: readonly ChartSeries[], selection: Selection): string {
  const measured = series.filter(({ points }) => points.some(({ y }) => y !== null));
  const shared = measured.map(({ points }) => new Set(points.flatMap(({ x, y }) => (y === null ? [] : [x]))));
  const xs = [...(shared[0] ?? [])].filter((x) => shared.every((values) => values.has(x)));
  const x = xs.length > 0 ? Math.max(...xs) : null;
  if (x === null) return 'No point has been measured at the same place for every line yet.';
  const parts = measured.map(({ label, points }) => {
    const point = points.find((candidate) => candidate.x === x);
    return `${label} ${formatQuantity(point?.y, 'duration')}`;
  });
  const place = describeParameter(selection.axis.parameter, x);
  return `At ${place}: ${parts.join(', ')}.${loopNote(selection.isClosedLoop)}${voidNote(series)}`;
}

export function parametricSentence(series: readonly ChartSeries[], quantity: Quantity): string {
  const parts = series.flatMap(({ label, points }) => {
    const last = points.at(-1);
    if (!last) return [];
    const knee = points.find(({ mark }) => mark !== undefined);
    const bend = knee ? `, its knee (most throughput per time) at ${knee.label}` : '';
    return [
      `${label} ends at ${formatQuantity(last.x, 'rate')} with ${formatQuantity(last.y, quantity)} (${last.label})${bend}`,
    ];
  });
  return parts.length === 0 ? 'No point has been measured yet.' : `Along the axis, ${parts.join('; ')}.`;
}

function loopNote(isClosedLoop: boolean): string {
  return isClosedLoop ? ' Closed loop.' : '';
}

function voidNote(series: readonly ChartSeries[]): string {
  const count = voidPoints(series).length;
  return count === 0 ? '' : ` ${countNoun(count, 'void point')}, hatched, not on any line.`;
}

/** Names what a log axis cannot hold; null when there is nothing to say. */
export function zeroSentence(
  series: readonly ChartSeries[],
  isLog: boolean,
  { axis }: Selection,
): string | null {
  const zeros = zeroPoints(series, isLog);
  if (zeros.length === 0) return null;
  const named = zeros.map(
    ({ seriesLabel, x }) => `${seriesLabel} at ${describeParameter(axis.parameter, x)}`,
  );
  return `Zero has no place on a log axis and is left out: ${named.join(', ')}.`;
}
