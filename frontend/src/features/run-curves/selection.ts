/** Which of the run's numbers are shown, out of the view state in the URL. Pure. */
import type { Point, PointOperation, Run } from '@/api/runs';

export const PERCENTILES = ['p50', 'p90', 'p99', 'p999', 'max'] as const;
export type Percentile = (typeof PERCENTILES)[number];
export type Clock = 'response_time_ns' | 'service_time_ns';

/** As the URL holds it; what is missing is chosen by the run. */
export interface CurveView {
  readonly axis?: string;
  readonly at?: Record<string, number>;
  readonly split?: string;
  readonly op?: string;
  readonly time?: 'service';
  readonly pct?: Percentile[];
  readonly logx?: boolean;
  /** Throughput. */
  readonly logy?: boolean;
  /** Response or service time. */
  readonly logt?: boolean;
  readonly zoom?: readonly [number, number];
  readonly hide?: string[];
}

export interface NumericAxis {
  readonly parameter: string;
  readonly values: readonly number[];
}

export interface Selection {
  readonly axis: NumericAxis;
  /** Every other numeric axis with the value its points must have; null where all are shown side by side. */
  readonly others: ReadonlyArray<NumericAxis & { readonly chosen: number | null }>;
  readonly targets: readonly string[];
  readonly operation: string;
  readonly clock: Clock;
  readonly percentiles: readonly Percentile[];
  readonly isLogX: boolean;
  readonly isLogThroughput: boolean;
  readonly isLogTime: boolean;
  readonly isClosedLoop: boolean;
}

/** Values that grow by a factor look evenly spaced on a log axis. */
const LOG_SPAN = 8;

export function numericAxes(run: Run): NumericAxis[] {
  const axes = run.axes
    .filter(({ parameter }) => parameter !== 'target')
    .map(({ parameter, values }) => ({
      parameter,
      values: values.filter((value): value is number => typeof value === 'number').sort((a, b) => a - b),
    }));
  // A plan without axes has one dot a target, at the connections it was measured with.
  return axes.length > 0 ? axes : [{ parameter: 'connections', values: [run.definition.load.connections] }];
}

export function select(run: Run, view: CurveView): Selection {
  const axes = numericAxes(run);
  const longest = [...axes].sort((a, b) => b.values.length - a.values.length)[0];
  const axis = axes.find(({ parameter }) => parameter === view.axis) ??
    longest ?? { parameter: 'connections', values: [] };
  const others = axes
    .filter(({ parameter }) => parameter !== axis.parameter)
    .map((other) => ({
      ...other,
      chosen: other.parameter === view.split ? null : chosenValue(other, view.at),
    }));
  return {
    axis,
    others,
    targets: run.definition.targets.map(({ name }) => name),
    operation: view.op ?? 'all',
    clock: view.time === 'service' ? 'service_time_ns' : 'response_time_ns',
    percentiles: view.pct ?? ['p99'],
    isLogX: (view.logx ?? spansFactor(axis.values)) && axis.values.every((value) => value > 0),
    isLogThroughput: view.logy ?? false,
    isLogTime: view.logt ?? true,
    isClosedLoop: run.definition.load.kind === 'closed',
  };
}

function chosenValue({ parameter, values }: NumericAxis, at: CurveView['at']): number {
  const asked = at?.[parameter];
  return asked !== undefined && values.includes(asked) ? asked : (values[0] ?? 0);
}

function spansFactor(values: readonly number[]): boolean {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
  return first > 0 && last / first >= LOG_SPAN;
}

/** Where the point stands on the axis. */
export function axisValue(point: Point, axis: NumericAxis): number {
  const bound = point.parameters[axis.parameter];
  return typeof bound === 'number' ? bound : (axis.values[0] ?? 0);
}

export function operationOf(point: Point, operation: string): PointOperation | null {
  if (operation === 'all') return point.total;
  return point.operations.find((candidate) => candidate.operation === operation) ?? null;
}

export interface Panel {
  readonly key: string;
  /** Which value of the split axis; null when there is one panel only. */
  readonly split: { readonly parameter: string; readonly value: number } | null;
  readonly points: readonly Point[];
}

/** The points that fit the chosen values, one panel for each value of the axis that is split. */
export function panelsOf(points: readonly Point[], { others }: Selection): Panel[] {
  const fitting = points.filter((point) =>
    others.every((other) => other.chosen === null || axisValue(point, other) === other.chosen),
  );
  const splitAxis = others.find(({ chosen }) => chosen === null);
  if (!splitAxis) return [{ key: 'all', split: null, points: fitting }];
  return splitAxis.values.map((value) => ({
    key: `${splitAxis.parameter}=${value}`,
    split: { parameter: splitAxis.parameter, value },
    points: fitting.filter((point) => axisValue(point, splitAxis) === value),
  }));
}

export function operationChoices(points: readonly Point[]): string[] {
  const named = new Set(points.flatMap(({ operations }) => operations.map(({ operation }) => operation)));
  return ['all', ...[...named].sort()];
}
