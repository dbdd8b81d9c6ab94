import { useElementSize } from '@mantine/hooks';
import { type ReactElement, useMemo } from 'react';
import { formatNs } from '@/lib/format';
import { readingOf, useHeatCursor } from './heat-cursor';
import { formatQuantity } from './quantity';
import { logScale } from './scale';

/** Narrower, and it scrolls. */
const LEAST_WIDTH = 300;
const HEIGHT = 260;
const PLOT = { left: 64, top: 8, bottom: 218 } as const;
/** Half of the last tick stands beyond the plot. */
const RIGHT_PX = 14;
/** One path each: a map of thousands of cells is so many elements only. */
const SHADES = 12;

export interface HeatCells {
  readonly edges: readonly number[];
  readonly columns: readonly {
    readonly from: number;
    readonly to: number;
    readonly counts: readonly number[];
  }[];
}

interface HeatChartProps {
  readonly cells: HeatCells;
  readonly name: string;
  /** The lowest and highest edge of all maps that share a scale. */
  readonly shared?: readonly [number, number];
}

/** How many answers took how long, over time: nanoseconds upwards in the logarithm, stronger for more. */
export function HeatChart({ cells, name, shared }: HeatChartProps): ReactElement {
  const { ref, width: measured } = useElementSize();
  const width = Math.max(LEAST_WIDTH, measured);
  const right = width - RIGHT_PX;
  const { x, y, limits, shades } = useMemo(() => frameOf(cells, shared, right), [cells, shared, right]);
  const cursor = useHeatCursor(cells);
  const { from, to } = limits;
  return (
    <figure
      ref={ref}
      className="chart-figure heat-figure"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onKeyDown={cursor.onKeyDown}
    >
      <svg width={width} height={HEIGHT} role="img" aria-label={name} className="heat-chart chart-drawing">
        {shades.map((path, shade) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the shade is the place
          <path key={shade} d={path} className="heat-shade" fillOpacity={opacityOf(shade)} />
        ))}
        <TimeTicks limits={limits} y={y} right={right} />
        {secondTicks(from, to, right - PLOT.left).map((tick) => (
          <text key={tick} x={x(tick)} y={PLOT.bottom + 16} textAnchor="middle">
            {formatQuantity(tick, 'seconds')}
          </text>
        ))}
        <text x={(PLOT.left + right) / 2} y={HEIGHT - 6} textAnchor="middle" className="chart-axis-title">
          Time since the trial began
        </text>
        {cursor.cell && (
          <rect
            x={x(cursor.cell.from)}
            width={Math.max(2, x(cursor.cell.to) - x(cursor.cell.from))}
            y={y(cursor.cell.top)}
            height={Math.max(2, y(cursor.cell.bottom) - y(cursor.cell.top))}
            className="heat-cursor chart-not-exported"
          />
        )}
      </svg>
      <p className="heat-reading" aria-live="polite">
        {cursor.cell ? readingOf(cursor.cell) : 'The arrow keys read it cell by cell.'}
      </p>
    </figure>
  );
}

interface TimeTicksProps {
  readonly limits: { readonly low: number; readonly high: number };
  readonly y: (ns: number) => number;
  readonly right: number;
}

function TimeTicks({ limits: { low, high }, y, right }: TimeTicksProps): ReactElement {
  const ticks = logScale([low, high]).ticks.filter((tick) => tick >= low && tick <= high);
  return (
    <g>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={PLOT.left} x2={right} y1={y(tick)} y2={y(tick)} className="thumbnail-grid" />
          <text x={PLOT.left - 6} y={y(tick) + 4} textAnchor="end">
            {formatNs(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

function frameOf(cells: HeatCells, shared: HeatChartProps['shared'], right: number) {
  const { columns, edges } = cells;
  const from = columns[0]?.from ?? 0;
  const to = columns.at(-1)?.to ?? 1;
  const low = shared?.[0] ?? edges[0] ?? 1;
  const high = shared?.[1] ?? edges.at(-1) ?? 10;
  const x = (seconds: number) => PLOT.left + ((seconds - from) / (to - from || 1)) * (right - PLOT.left);
  const y = (ns: number) =>
    PLOT.bottom - (Math.log10(ns / low) / (Math.log10(high / low) || 1)) * (PLOT.bottom - PLOT.top);
  return { x, y, limits: { from, to, low, high }, shades: shadePaths(cells, x, y) };
}

const TICK_PX = 44;

function secondTicks(from: number, to: number, roomPx: number): number[] {
  const [span, most] = [to - from, roomPx / TICK_PX];
  const step =
    [0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600].find((one) => span / one <= most) ?? 7200;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step + 1e-9) + 1 }, (_, index) =>
    Number((first + index * step).toPrecision(9)),
  );
}

/** The faintest is seen on either ground. */
function opacityOf(shade: number): number {
  return 0.1 + (0.9 * (shade + 1)) / SHADES;
}

/** Decades of the share of a second's answers that have a shade of their own. */
const DECADES = 5;

/** What the shades mean: one hue, stronger for more, so that it reads the same for every eye. */
export function HeatLegend(): ReactElement {
  return (
    <div
      className="heat-legend"
      role="img"
      aria-label="Shades, from one answer in 100,000 of its second to all"
    >
      <span>1 in 100,000</span>
      <svg width={SHADES * 14} height={12} aria-hidden="true">
        {Array.from({ length: SHADES }, (_, shade) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the shade is the place
            key={shade}
            x={shade * 14}
            width={14}
            height={12}
            className="heat-shade"
            fillOpacity={opacityOf(shade)}
          />
        ))}
      </svg>
      <span>all answers of the second</span>
    </div>
  );
}

/** The share of a column's answers says the shade, in the logarithm: one slow answer in ten thousand is still seen. */
function shadeOf(count: number, total: number): number {
  if (count <= 0 || total <= 0) return -1;
  const decades = Math.log10(count / total);
  return Math.min(SHADES - 1, Math.max(0, Math.floor(SHADES * (1 + decades / DECADES))));
}

function shadePaths(
  { columns, edges }: HeatCells,
  x: (seconds: number) => number,
  y: (ns: number) => number,
): string[] {
  const paths = Array.from({ length: SHADES }, () => '');
  for (const { from, to, counts } of columns) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    counts.forEach((count, row) => {
      const shade = shadeOf(count, total);
      const [bottom, top] = [edges[row], edges[row + 1]];
      if (shade < 0 || bottom === undefined || top === undefined) return;
      paths[shade] +=
        `M${x(from).toFixed(1)} ${y(top).toFixed(1)}H${x(to).toFixed(1)}V${y(bottom).toFixed(1)}H${x(from).toFixed(1)}Z`;
    });
  }
  return paths;
}
