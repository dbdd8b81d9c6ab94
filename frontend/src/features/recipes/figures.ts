/** Published figures as panels of charts, one a scenario. Pure. */
import type { RecipePublished, SourceSeries } from '@/api/recipes';
import { type ChartSeries, formatQuantity, type Quantity } from '@/components/charts';
import type { SourceFigure } from '@/components/SourceDialog';
import { toCsv } from '@/lib/csv';

export interface FigurePanel {
  readonly key: string;
  readonly scenario: string;
  readonly metric: string;
  readonly quantity: Quantity;
  /** Null where each line is one figure: lines then stand side by side, as `names`. */
  readonly axis: string | null;
  readonly names: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Figures at zero, which has no place on a log axis. */
  readonly atZero: readonly { readonly label: string; readonly y: number | null }[];
  readonly isLogX: boolean;
  readonly isLogY: boolean;
}

const UNITS: Readonly<Record<string, { quantity: Quantity; factor: number }>> = {
  'ops/s': { quantity: 'rate', factor: 1 },
  s: { quantity: 'seconds', factor: 1 },
  ns: { quantity: 'duration', factor: 1 },
  ms: { quantity: 'duration', factor: 1e6 },
  'ms/op': { quantity: 'duration', factor: 1e6 },
  ratio: { quantity: 'ratio', factor: 1 },
  B: { quantity: 'bytes', factor: 1 },
  bytes: { quantity: 'bytes', factor: 1 },
  KB: { quantity: 'bytes', factor: 1024 },
  MB: { quantity: 'bytes', factor: 1024 ** 2 },
};
const PLAIN = { quantity: 'plain', factor: 1 } as const;
/** Values that differ by more are read on a log axis. */
const LOG_SPAN = 8;

function lineName({ system, client }: Pick<SourceSeries, 'system' | 'client'>): string {
  return client ? `${system}, ${client}` : system;
}

/** Lines have the same look in all panels: their place among all systems of the source. */
export function figurePanels({ series }: RecipePublished): FigurePanel[] {
  const lines = [...new Set(series.map(lineName))];
  const groups = new Map<string, SourceSeries[]>();
  for (const one of series) {
    const key = [one.metric, one.unit, one.scenario, one.axis].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].flatMap(([key, group]) => panelOf(key, group, lines));
}

function panelOf(key: string, group: readonly SourceSeries[], lines: readonly string[]): FigurePanel[] {
  const [first] = group;
  if (!first) return [];
  const isCurve = first.axis !== null && group.some(({ points }) => points.length > 1);
  const drawn = group.map((one, place) =>
    chartSeries(one, lines.indexOf(lineName(one)), isCurve ? null : place),
  );
  const points = drawn.flatMap((one) => one.points);
  const isLogX = isCurve && spansFactor(points.flatMap(({ x }) => (x > 0 ? [x] : [])));
  return [
    {
      key,
      scenario: first.scenario,
      metric: first.metric,
      quantity: (UNITS[first.unit] ?? PLAIN).quantity,
      axis: isCurve ? first.axis : null,
      names: isCurve ? [] : group.map(lineName),
      series: isLogX ? drawn.map(withoutZero) : drawn,
      atZero: isLogX ? drawn.flatMap(zeroOf) : [],
      isLogX,
      isLogY: spansFactor(points.flatMap(({ y }) => (y === null ? [] : [y]))),
    },
  ];
}

/** @param place on an axis of names; null for the axis of the source */
function chartSeries(one: SourceSeries, lookIndex: number, place: number | null): ChartSeries {
  const { factor } = UNITS[one.unit] ?? PLAIN;
  const points = one.points.flatMap(({ x, value, note }) => {
    const at = place ?? x;
    const y = value === null ? null : value * factor;
    return at === null ? [] : [{ x: at, y, note: note || undefined }];
  });
  return {
    key: `${lineName(one)}:${place ?? ''}`,
    label: lineName(one),
    lookIndex,
    isReference: true,
    isUnjoined: place !== null,
    points: points.sort((a, b) => a.x - b.x),
  };
}

/** Zero has no place on a log axis: it is said instead. */
function withoutZero(one: ChartSeries): ChartSeries {
  return { ...one, points: one.points.filter(({ x }) => x > 0) };
}

function zeroOf({ label, points }: ChartSeries): { label: string; y: number | null }[] {
  return points.filter(({ x }) => x <= 0).map(({ y }) => ({ label, y }));
}

function spansFactor(values: readonly number[]): boolean {
  const low = Math.min(...values);
  return low > 0 && Math.max(...values) / low >= LOG_SPAN;
}

/** The largest and the smallest value, each with its line and place. */
export function describeFigures({ series, quantity, axis, atZero }: FigurePanel): string {
  const all = series.flatMap(({ label, points }) =>
    points.flatMap(({ x, y }) => (y === null ? [] : [{ label, x, y }])),
  );
  const [first] = all;
  if (!first) return 'The source prints no figure here.';
  const most = all.reduce((best, one) => (one.y > best.y ? one : best), first);
  const least = all.reduce((best, one) => (one.y < best.y ? one : best), first);
  const at = (x: number) => (axis === null ? '' : ` at ${placeText(axis, x)}`);
  const said = ({ label, x, y }: typeof first) => `${label} ${formatQuantity(y, quantity)}${at(x)}`;
  const zero = atZero.map(({ label, y }) => `${label} ${formatQuantity(y, quantity)}`).join(', ');
  const beside = zero ? ` At ${axis} 0, which has no place on a log axis: ${zero}.` : '';
  return `${most === least ? `${said(most)}.` : `From ${said(least)} to ${said(most)}, as published.`}${beside}`;
}

/** The source's own words: "entries 10,000". */
function placeText(axis: string, x: number): string {
  return `${axis} ${x.toLocaleString('en-US')}`;
}

export function figuresCsv({ series }: RecipePublished): string {
  return toCsv(
    ['scenario', 'system', 'client', 'axis', 'at', 'metric', 'unit', 'value', 'note'],
    series.flatMap(({ scenario, system, client, axis, metric, unit, points }) =>
      points.map(({ x, value, note }) => [scenario, system, client, axis, x, metric, unit, value, note]),
    ),
  );
}

/** Every figure as the source prints it. */
export function sourceFigures({ series }: RecipePublished): SourceFigure[] {
  return series.flatMap(({ scenario, system, client, axis, metric, unit, points }) =>
    points.map(({ x, value, note }) => ({
      scenario: `${scenario}: ${metric}`,
      system,
      client,
      at: axis !== null && x !== null ? placeText(axis, x) : '',
      value,
      unit,
      note,
    })),
  );
}
