/** Which of the run's numbers are shown, out of the view state in the URL. Pure. */
import type { Point, PointOperation, Run } from '@/api/runs';

export const PERCENTILES = ['p50', 'p90', 'p99', 'p999', 'max'] as const;
export type Percentile = (typeof PERCENTILES)[number];
export type Clock = 'response_time_ns' | 'service_time_ns';
export type AxisValue = string | number;

/** As the URL holds it; what is missing is chosen by the run. */
export interface CurveView {
  readonly axis?: string;
  /** The axis whose values are lines. */
  readonly line?: string;
  readonly at?: Record<string, AxisValue>;
  /** Axes that are spread over panels; those of names are, unless `at` binds them. */
  readonly split?: string[];
  readonly metric?: string;
  /** The line that all are divided by; `none` for the values themselves. */
  readonly norm?: string;
  /** False hides the published figures. */
  readonly pub?: boolean;
  readonly op?: string;
  readonly time?: 'service';
  readonly pct?: Percentile[];
  readonly logx?: boolean;
  /** Throughput and the like. */
  readonly logy?: boolean;
  /** Times. */
  readonly logt?: boolean;
  /** Ratios. */
  readonly logr?: boolean;
  readonly zoom?: readonly [number, number];
  readonly hide?: string[];
}

export interface CurveAxis {
  readonly parameter: string;
  readonly values: readonly AxisValue[];
  /** Names have an order of their own, and nothing between them. */
  readonly isNumeric: boolean;
}

/** An axis that is neither x nor lines: bound to one value, or null where all are side by side. */
export interface OtherAxis extends CurveAxis {
  readonly chosen: AxisValue | null;
}

export interface Selection {
  readonly axis: CurveAxis;
  readonly lineAxis: CurveAxis;
  /** The axis is that of the lines: each line is one dot over its own name. */
  readonly isApart: boolean;
  readonly others: readonly OtherAxis[];
  /** Names of the lines, in the order of the palette. */
  readonly lines: readonly string[];
  readonly operation: string;
  readonly clock: Clock;
  readonly percentiles: readonly Percentile[];
  readonly isLogX: boolean;
  readonly isClosedLoop: boolean;
}

/** Values that grow by a factor look evenly spaced on a log axis. */
const LOG_SPAN = 8;
/** More than a grid of rows and columns nobody reads. */
const MOST_SPLITS = 2;

export function axesOf(run: Run): CurveAxis[] {
  const axes = run.axes.map(({ parameter, values }) => axisOf(parameter, values));
  const hasTargets = axes.some(({ parameter }) => parameter === 'target');
  const targets = run.definition.targets.map(({ name }) => name);
  const all = hasTargets ? axes : [axisOf('target', targets), ...axes];
  // A plan without axes has one dot a target, at the connections it was measured with.
  return all.length > 1 ? all : [...all, axisOf('connections', [run.definition.load.connections])];
}

function axisOf(parameter: string, raw: readonly unknown[]): CurveAxis {
  const numbers = raw.filter((value): value is number => typeof value === 'number');
  if (numbers.length === raw.length && raw.length > 0)
    return { parameter, values: numbers.sort((a, b) => a - b), isNumeric: true };
  return { parameter, values: raw.map(String), isNumeric: false };
}

export function select(run: Run, view: CurveView): Selection {
  const axes = axesOf(run);
  const axis = axes.find(({ parameter }) => parameter === view.axis) ?? defaultAxis(axes);
  const isApart = axis.parameter === 'target' && isOnlyTargets(axes) && view.line === undefined;
  const lineAxis = isApart
    ? axis
    : lineAxisOf(
        axes.filter((one) => one !== axis),
        view,
      );
  const rest = axes.filter((one) => one !== axis && one !== lineAxis);
  return {
    axis,
    lineAxis,
    isApart,
    others: othersOf(rest, view),
    lines: lineAxis.values.map(String),
    operation: view.op ?? 'all',
    clock: view.time === 'service' ? 'service_time_ns' : 'response_time_ns',
    percentiles: view.pct ?? ['p99'],
    isLogX: axis.isNumeric && canBeLog(axis) && (view.logx ?? spansFactor(axis)),
    isClosedLoop: run.definition.load.kind === 'closed',
  };
}

/** Several targets, and nothing else that varies. */
function isOnlyTargets(axes: readonly CurveAxis[]): boolean {
  return axes.every(({ parameter, values }) => values.length > 1 === (parameter === 'target'));
}

/** The longest axis of numbers; names where there is none, the targets' where nothing else varies. */
function defaultAxis(axes: readonly CurveAxis[]): CurveAxis {
  const targets = axes.find(({ parameter }) => parameter === 'target');
  if (targets && isOnlyTargets(axes)) return targets;
  const others = axes.filter(({ parameter }) => parameter !== 'target');
  const numeric = others.filter(({ isNumeric, values }) => isNumeric && values.length > 1);
  const [longest] = [...(numeric.length > 0 ? numeric : others)].sort(
    (a, b) => b.values.length - a.values.length,
  );
  return longest ?? { parameter: 'connections', values: [], isNumeric: true };
}

const NO_LINES: CurveAxis = { parameter: 'target', values: [''], isNumeric: false };

/** Targets, unless there is only one of them and something else has names. */
function lineAxisOf(axes: readonly CurveAxis[], { line }: CurveView): CurveAxis {
  const asked = axes.find(({ parameter }) => parameter === line);
  if (asked) return asked;
  const names = axes.filter(({ isNumeric }) => !isNumeric);
  const several = names.filter(({ values }) => values.length > 1);
  const candidates = [...several, ...names, ...axes];
  return several.find(({ parameter }) => parameter === 'target') ?? candidates[0] ?? NO_LINES;
}

function othersOf(rest: readonly CurveAxis[], view: CurveView): OtherAxis[] {
  let splits = 0;
  return rest.map((axis) => {
    const { parameter, values, isNumeric } = axis;
    const isBound = view.at?.[parameter] !== undefined;
    const wanted = isNumeric ? view.split?.includes(parameter) : !isBound;
    if (wanted && values.length > 1 && splits < MOST_SPLITS) {
      splits += 1;
      return { ...axis, chosen: null };
    }
    return { ...axis, chosen: chosenValue(axis, view.at) };
  });
}

function chosenValue({ parameter, values }: CurveAxis, at: CurveView['at']): AxisValue {
  const asked = at?.[parameter];
  return asked !== undefined && values.includes(asked) ? asked : (values[0] ?? 0);
}

function canBeLog({ values }: CurveAxis): boolean {
  return values.every((value) => typeof value === 'number' && value > 0);
}

function spansFactor({ values }: CurveAxis): boolean {
  const [first, last] = [Number(values[0] ?? 0), Number(values.at(-1) ?? 0)];
  return first > 0 && last / first >= LOG_SPAN;
}

export type Bound = Readonly<Record<string, unknown>>;

/** What is bound to the axis; an axis of one value may be missing from the point. */
export function boundValue(parameters: Bound, { parameter, values }: CurveAxis): AxisValue | undefined {
  const bound = parameters[parameter];
  if (typeof bound === 'number' || typeof bound === 'string') return bound;
  return values.length === 1 ? values[0] : undefined;
}

/** Where it stands on the axis: the number itself, or the place of its name. Null when it stands nowhere. */
export function placeOf(parameters: Bound, axis: CurveAxis): number | null {
  const bound = boundValue(parameters, axis);
  if (bound === undefined) return null;
  if (axis.isNumeric) return typeof bound === 'number' ? bound : null;
  const place = axis.values.indexOf(bound);
  return place < 0 ? null : place;
}

/** The value that stands at a place of the axis. */
export function valueAtPlace(axis: CurveAxis, place: number): AxisValue {
  return axis.isNumeric ? place : (axis.values[place] ?? '');
}

/** Places that the axis has, ascending. */
export function placesOf(axis: CurveAxis): number[] {
  return axis.isNumeric ? axis.values.map(Number) : axis.values.map((_, place) => place);
}

export function operationOf(point: Point, operation: string): PointOperation | null {
  if (operation === 'all') return point.total;
  return point.operations.find((candidate) => candidate.operation === operation) ?? null;
}

export interface BoundAxis {
  readonly parameter: string;
  readonly value: AxisValue;
}

export interface Panel {
  readonly key: string;
  /** Values of the axes that are spread; none when there is one panel only. */
  readonly bound: readonly BoundAxis[];
  readonly points: readonly Point[];
}

/** The points that fit the chosen values, one panel for each combination of the axes that are spread. */
export function panelsOf(points: readonly Point[], { others }: Selection): Panel[] {
  const fixed = others.flatMap((other) =>
    other.chosen === null ? [] : [{ axis: other, value: other.chosen }],
  );
  const fitting = points.filter(({ parameters }) =>
    fixed.every(({ axis, value }) => boundValue(parameters, axis) === value),
  );
  const spread = others.filter(({ chosen }) => chosen === null);
  const panels = combinations(spread).map((bound) => ({
    key: bound.map(({ parameter, value }) => `${parameter}=${value}`).join('&') || 'all',
    bound,
    points: fitting.filter(({ parameters }) =>
      bound.every(({ parameter, value }) => parameters[parameter] === value),
    ),
  }));
  const filled = panels.filter((panel) => panel.points.length > 0);
  return filled.length > 0 ? filled : panels.slice(0, 1);
}

function combinations(axes: readonly CurveAxis[]): BoundAxis[][] {
  return axes.reduce<BoundAxis[][]>(
    (begun, { parameter, values }) =>
      begun.flatMap((bound) => values.map((value) => [...bound, { parameter, value }])),
    [[]],
  );
}

/** What a panel's points are bound to besides x and their line. */
export function boundIn(panel: Panel, { others }: Selection): BoundAxis[] {
  const fixed = others.flatMap(({ parameter, chosen }) =>
    chosen === null ? [] : [{ parameter, value: chosen }],
  );
  return [...panel.bound, ...fixed];
}

export function operationChoices(points: readonly Point[]): string[] {
  const named = new Set(points.flatMap(({ operations }) => operations.map(({ operation }) => operation)));
  return ['all', ...[...named].sort()];
}
