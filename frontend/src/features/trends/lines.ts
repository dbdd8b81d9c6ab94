/** Series as the charts draw them, and what they show in words. Pure. */
import type { SeriesLine, SeriesValue } from '@/api/trends';
import type { ChartLevel, ChartMark, ChartPoint, ChartSeries, Quantity } from '@/components/charts';
import { formatQuantity } from '@/components/charts';
import { countNoun } from '@/lib/format';
import { formatChange } from '@/lib/metrics';

export function pointOf(value: SeriesValue): ChartPoint {
  return {
    x: Date.parse(value.at),
    y: value.value,
    low: value.low,
    high: value.high,
    trialsCounted: value.trials_counted,
    isExcluded: value.excluded !== null,
    note: value.excluded ? `excluded: ${value.excluded.reason}` : undefined,
    label: value.run_name,
  };
}

const UNKNOWN_VERSION = 'version unknown';
/** Markers stand apart up to here. */
const MARKED_POINTS = 120;

/** One line, or one for each version of the store in the order of first sight. */
export function linesOf(line: SeriesLine, isSplit: boolean): ChartSeries[] {
  const isBare = line.values.length > MARKED_POINTS;
  if (!isSplit) {
    return [
      {
        key: line.series.id,
        label: line.series.title,
        lookIndex: 0,
        isBare,
        isJoined: true,
        points: line.values.map(pointOf),
      },
    ];
  }
  const versions = [...new Set(line.values.map(versionOf))];
  return versions.map((version, lookIndex) => ({
    key: version,
    label: version,
    lookIndex,
    isBare,
    isJoined: true,
    points: line.values.filter((value) => versionOf(value) === version).map(pointOf),
  }));
}

function versionOf({ store_version }: SeriesValue): string {
  return store_version ?? UNKNOWN_VERSION;
}

export function marksOf(line: SeriesLine): ChartMark[] {
  const changes = line.change_points.map((change) => ({
    key: change.id,
    x: Date.parse(change.at),
    kind: 'change' as const,
    label: formatChange(change.change),
    tone: change.direction === 'worse' ? ('bad' as const) : ('good' as const),
  }));
  const flags = line.annotations.map((annotation) => ({
    key: annotation.id,
    x: Date.parse(annotation.at),
    kind: 'flag' as const,
    label: annotation.title,
  }));
  return [...changes, ...flags];
}

/** What is normal now: the middle half of what was measured since the last change. */
export function baselineOf(line: SeriesLine): ChartLevel | undefined {
  const last = line.change_points.reduce((latest, { at }) => Math.max(latest, Date.parse(at)), 0);
  const values = line.values
    .filter((value) => !value.excluded && Date.parse(value.at) >= last)
    .map(({ value }) => value)
    .sort((a, b) => a - b);
  const low = values[Math.floor(values.length * 0.25)];
  const high = values[Math.ceil(values.length * 0.75) - 1];
  if (values.length < 4 || low === undefined || high === undefined || low >= high) return undefined;
  return { low, high, label: 'middle half now' };
}

/** What a panel shows, in one sentence. */
export function sentenceOf(line: SeriesLine, quantity: Quantity): string {
  const counted = line.values.filter(({ excluded }) => excluded === null);
  const last = counted.at(-1);
  if (!last) return 'Nothing that counts was measured in this time.';
  const range = counted.map(({ value }) => value);
  const parts = [
    `${countNoun(counted.length, 'point')}, last ${formatQuantity(last.value, quantity)}, between ` +
      `${formatQuantity(Math.min(...range), quantity)} and ${formatQuantity(Math.max(...range), quantity)}`,
  ];
  const change = line.change_points.at(-1);
  if (change) {
    const day = new Date(change.at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    parts.push(`it shifted by ${formatChange(change.change)} (${change.direction}) on ${day}`);
  }
  const excluded = line.values.length - counted.length;
  if (excluded > 0) parts.push(`${excluded} excluded`);
  return `${parts.join('; ')}.`;
}
