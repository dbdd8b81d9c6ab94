/** Figures that others published, as lines beside ours. Pure. */
import type { PublishedSeries, RunPublished } from '@/api/recipes';
import type { ChartPoint } from '@/components/charts';
import { parameterTitle } from '@/lib/parameters';
import { percentileTitle, TIMES } from './metrics';
import {
  type BoundAxis,
  boundIn,
  boundValue,
  type Panel,
  placeOf,
  placesOf,
  type Selection,
} from './selection';
import { type CurveLine, referenceKey } from './shape';

/** The metric of the pages that a published series is of; percentiles of times are parts of one. */
function metricOfPublished({ metric }: PublishedSeries): { name: string; part: string } {
  const percentile = /^response_time_(p50|p90|p95|p99|p999|max)_ns$/.exec(metric)?.[1];
  return percentile ? { name: TIMES, part: percentile } : { name: metric, part: '' };
}

/** What the published figures are mostly of: that is what a study is about. */
export function metricOfStudy({ series }: RunPublished): string | undefined {
  const counts = new Map<string, number>();
  for (const one of series) {
    const { name } = metricOfPublished(one);
    counts.set(name, (counts.get(name) ?? 0) + one.points.length);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** The line that the published study is a ratio to. */
export function lineOfStudy({ normalise_to }: RunPublished, { lineAxis }: Selection): string | undefined {
  const line = normalise_to?.[lineAxis.parameter];
  return lineAxis.values.find((value) => value === line)?.toString();
}

/** Labels of the series that have a place in what is shown, for the legend. */
export function referencesOf(
  published: RunPublished,
  selection: Selection,
  metric: string,
): { label: string; line: string }[] {
  const shown = published.series.filter((one) => metricOfPublished(one).name === metric);
  const labels = new Map(shown.map((one) => [one.label, lineOf(one, selection)]));
  return [...labels].map(([label, line]) => ({ label, line }));
}

function lineOf({ match }: PublishedSeries, { lineAxis }: Selection): string {
  return String(match[lineAxis.parameter] ?? '');
}

/** The published lines of one panel. What a figure does not bind, it holds for all values of. */
export function publishedLines(
  published: RunPublished,
  panel: Panel,
  selection: Selection,
  metric: string,
): CurveLine[] {
  const bound = boundIn(panel, selection);
  return published.series
    .filter((one) => metricOfPublished(one).name === metric)
    .map((one) => lineOfSeries(one, bound, selection))
    .filter(({ points }) => points.length > 0)
    .reduce<CurveLine[]>(merged, []);
}

/** What was printed in several tables, one for each place of our axis, is one line. */
function merged(lines: CurveLine[], next: CurveLine): CurveLine[] {
  const place = lines.findIndex(
    ({ reference, line, part, ratioTo, points }) =>
      reference === next.reference &&
      line === next.line &&
      part === next.part &&
      ratioTo === next.ratioTo &&
      points.every(({ x }) => next.points.every((other) => other.x !== x)),
  );
  const begun = lines[place];
  if (!begun) return [...lines, next];
  const points = [...begun.points, ...next.points].sort((a, b) => a.x - b.x);
  return lines.with(place, { ...begun, points });
}

function lineOfSeries(one: PublishedSeries, bound: readonly BoundAxis[], selection: Selection): CurveLine {
  const line = lineOf(one, selection);
  const { part } = metricOfPublished(one);
  return {
    key: referenceKey(`${one.label}:${JSON.stringify(one.match)}:${part}`),
    label: part === '' ? one.label : `${one.label} ${percentileTitle(part as 'p99')}`,
    line,
    part,
    reference: one.label,
    ratioTo: one.relative_to ? String(one.relative_to[selection.lineAxis.parameter] ?? '') : undefined,
    lookIndex: Math.max(0, selection.lines.indexOf(line)),
    isReference: true,
    isJoined: selection.axis.isNumeric,
    isUnjoined: !selection.axis.isNumeric,
    points: pointsOf(one, bound, selection),
  };
}

function pointsOf(one: PublishedSeries, bound: readonly BoundAxis[], { axis }: Selection): ChartPoint[] {
  const points = one.points.flatMap(({ x, value, note }) => {
    const parameters = { ...one.match, ...(one.axis !== null && x !== null ? { [one.axis]: x } : {}) };
    if (!holdsIn(parameters, bound)) return [];
    const notes = [note, one.derived].filter(Boolean);
    const isAnywhere = boundValue(parameters, { ...axis, values: [] }) === undefined;
    if (isAnywhere) notes.push(`published without saying at which ${parameterTitle(axis.parameter)}`);
    const places = isAnywhere ? placesOf(axis) : [placeOf(parameters, axis)];
    return places.flatMap((place) =>
      place === null ? [] : [{ x: place, y: value, note: notes.join('; ') || undefined }],
    );
  });
  return points.sort((a, b) => a.x - b.x);
}

function holdsIn(parameters: Readonly<Record<string, unknown>>, bound: readonly BoundAxis[]): boolean {
  return bound.every(({ parameter, value }) => {
    const published = boundValue(parameters, { parameter, values: [], isNumeric: false });
    return published === undefined || published === value;
  });
}
