import { useElementSize } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { lookOf } from './palette';
import { useScheme } from './useScheme';

export interface ForestRow {
  readonly key: string;
  readonly label: string;
  /** Place in the palette. */
  readonly lookIndex: number;
  /** Contender / base; null where it was refused. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly word: string;
  readonly verdict: 'better' | 'worse' | 'equivalent' | 'changed' | 'not_enough_data' | 'refused';
  /** Said on hover. */
  readonly note: string;
}

interface ForestPlotProps {
  readonly rows: readonly ForestRow[];
  /** The share that does not matter: drawn as a band around 1. */
  readonly margin: number;
  readonly name: string;
}

const NARROW_PX = 620;
const AXIS_PX = 30;
/** Of a letter at 12 px, about. */
const LETTER_PX = 6.6;
const SIGNS = {
  better: '▲',
  worse: '▼',
  equivalent: '=',
  changed: '±',
  not_enough_data: '?',
  refused: '–',
} as const;

interface Layout {
  readonly left: number;
  readonly right: number;
  readonly rowHeight: number;
  /** Of the interval within its row. */
  readonly line: number;
  /** Label, verdict and interval stand below each other. */
  readonly isNarrow: boolean;
}

const LABEL_PX = 300;
/** Between the end of the intervals and the longest verdict. */
const GAP_PX = 20;

function layoutOf(width: number, rows: readonly ForestRow[]): Layout {
  if (width < NARROW_PX) return { left: 24, right: width - 24, rowHeight: 54, line: 42, isNarrow: true };
  const verdict = Math.max(...rows.map((row) => verdictOf(row).length * LETTER_PX), 0);
  const left = Math.min(LABEL_PX, width * 0.26);
  return { left, right: width - GAP_PX - verdict, rowHeight: 24, line: 12, isNarrow: false };
}

/** Ratios with their intervals, one row a cell, on a log axis around 1; the verdict stands beside in words. */
export function ForestPlot({ rows, margin, name }: ForestPlotProps): ReactElement {
  const { ref, width } = useElementSize();
  const shown = Math.max(width, 300);
  const layout = layoutOf(shown, rows);
  const axis = axisOf(rows, margin, layout);
  const height = rows.length * layout.rowHeight + AXIS_PX;
  return (
    <figure className="chart-figure" ref={ref} aria-label={name}>
      <svg width={shown} height={height} className="chart-drawing forest-plot" role="img" aria-label={name}>
        <rect
          x={axis.x(1 / (1 + margin))}
          width={Math.max(1, axis.x(1 + margin) - axis.x(1 / (1 + margin)))}
          y={0}
          height={height - AXIS_PX}
          className="chart-level"
        />
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line
              x1={axis.x(tick)}
              x2={axis.x(tick)}
              y1={0}
              y2={height - AXIS_PX}
              className={tick === 1 ? 'forest-one' : 'thumbnail-grid'}
            />
            <text x={axis.x(tick)} y={height - AXIS_PX + 16} textAnchor="middle">
              {`${Number(tick.toPrecision(3))}×`}
            </text>
          </g>
        ))}
        {rows.map((row, index) => (
          <Row
            key={row.key}
            row={row}
            top={index * layout.rowHeight}
            layout={layout}
            x={axis.x}
            width={shown}
          />
        ))}
      </svg>
    </figure>
  );
}

interface RowProps {
  readonly row: ForestRow;
  readonly top: number;
  readonly layout: Layout;
  readonly x: (ratio: number) => number;
  readonly width: number;
}

function Row({ row, top, layout, x, width }: RowProps): ReactElement {
  const { color } = lookOf(row.lookIndex, useScheme());
  const { isNarrow } = layout;
  const text = top + (isNarrow ? 14 : layout.line + 4);
  const middle = top + layout.line;
  const [low, high] = [row.low ?? row.ratio, row.high ?? row.ratio];
  return (
    <g className="forest-row" data-verdict={row.verdict}>
      <title>{`${row.label}: ${row.word}. ${row.note}`}</title>
      <text x={4} y={text}>
        {shortened(row.label, ((isNarrow ? width : layout.left) - 12) / LETTER_PX)}
      </text>
      {row.ratio !== null && low !== null && high !== null && (
        <>
          <line x1={x(low)} x2={x(high)} y1={middle} y2={middle} stroke={color} strokeWidth={2} />
          <rect x={x(row.ratio) - 4} y={middle - 4} width={8} height={8} fill={color} />
        </>
      )}
      <text
        x={isNarrow ? 4 : width - 4}
        y={isNarrow ? text + 15 : text}
        textAnchor={isNarrow ? 'start' : 'end'}
        className="forest-word"
      >
        {verdictOf(row)}
      </text>
    </g>
  );
}

function verdictOf(row: ForestRow): string {
  return `${ratioText(row)} ${SIGNS[row.verdict]} ${row.word}`.trim();
}

function ratioText({ ratio }: ForestRow): string {
  return ratio === null ? '' : `${ratio >= 10 ? ratio.toPrecision(3) : ratio.toFixed(2)}×`;
}

function shortened(text: string, most: number): string {
  const letters = Math.max(8, Math.floor(most));
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

const STEPS = [1.01, 1.02, 1.05, 1.1, 1.2, 1.25, 1.5, 2, 3, 5, 10, 30, 100, 1000];
/** Wider intervals run into the edge: one hopeless cell must not flatten the others. */
const WIDEST = 1000;

/** Symmetric around 1 in the logarithm, up to a round factor. */
function axisOf(rows: readonly ForestRow[], margin: number, { left, right }: Layout) {
  const found = rows.flatMap(({ low, high, ratio }) => [low, high, ratio]).filter((value) => value !== null);
  const reach = Math.min(
    WIDEST,
    Math.max(1 + margin * 1.5, ...found.map((value) => Math.max(value, 1 / value))),
  );
  const limit = STEPS.find((step) => step >= reach) ?? WIDEST;
  const inner = STEPS.findLast((step) => step <= Math.sqrt(limit)) ?? limit;
  const span = Math.log(limit);
  const x = (ratio: number) => {
    const place = (Math.log(Math.min(limit, Math.max(1 / limit, ratio))) + span) / (2 * span);
    return Math.round((left + place * (right - left)) * 10) / 10;
  };
  const ticks = right - left < 320 ? [1 / limit, 1, limit] : [1 / limit, 1 / inner, 1, inner, limit];
  return { x, ticks };
}
