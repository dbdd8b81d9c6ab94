/** One panel of one metric as it is drawn: our lines, those published, divided where that is asked. Pure. */
import type { RunPublished } from '@/api/recipes';
import type { Quantity } from '@/components/charts';
import { describeParameter } from '@/lib/parameters';
import { type CurveMetric, type LogName, logOf } from './metrics';
import { besideOurs, normalised, withoutRatios } from './normalise';
import { publishedLines } from './published';
import type { CurveView, Panel, Selection } from './selection';
import { type CurveLine, curveLines, shownLines } from './shape';

export interface Drawn {
  readonly panel: Panel;
  readonly title: string;
  /** Of the y axis. */
  readonly axisTitle: string;
  /** Published lines that cannot be drawn this way: with no divisor, or ratios to another line. */
  readonly undivided: readonly string[];
  /** The line to divide by, where this panel has none of its points. */
  readonly lacksBase: string | null;
  readonly quantity: Quantity;
  readonly log: { readonly name: LogName; readonly isOn: boolean };
  readonly lines: readonly CurveLine[];
}

interface Asked {
  readonly selection: Selection;
  readonly view: CurveView;
  readonly base: string | null;
  readonly published: RunPublished;
  readonly hidden: ReadonlySet<string>;
}

/** Lines are divided before any is hidden: the base may be one of those. */
export function drawn(asked: Asked, panel: Panel, metric: CurveMetric): Drawn {
  const { selection, base, view } = asked;
  const lines = [
    ...curveLines(panel.points, selection, metric),
    ...publishedLines(asked.published, panel, selection, metric.name),
  ];
  const quantity = base === null ? metric.quantity : 'ratio';
  const divided = base === null ? withoutRatios(lines) : normalised(lines, base, selection.isApart);
  const lost = divided.filter(({ isReference, points }) => isReference && points.length === 0);
  const hasBase = base === null || lines.some((one) => one.line === base && one.points.length > 0);
  return {
    panel,
    title: base === null ? metric.title : `${metric.title}, ratio to ${base}`,
    axisTitle: base === null ? metric.title : `ratio to ${base}`,
    lacksBase: !hasBase && lines.some(({ points }) => points.length > 0) ? base : null,
    undivided: [...new Set(lost.map(undividedName))],
    quantity,
    log: logOf(quantity, view),
    lines: shownLines(besideOurs(divided, quantity), asked.hidden),
  };
}

function undividedName({ label, ratioTo }: CurveLine): string {
  return ratioTo === undefined ? label : `${label} (a ratio to ${ratioTo})`;
}

/** What the y axis must hold. */
export function valuesOf({ lines }: Drawn): number[] {
  return lines.flatMap(({ points }) =>
    points.flatMap(({ y, low, high }) => [y, low, high].filter((value) => typeof value === 'number')),
  );
}

/** ", set, value size 64 B". */
export function panelTitle({ bound }: Panel): string {
  return bound.map(({ parameter, value }) => `, ${describeParameter(parameter, value)}`).join('');
}
