import { type ReactElement, useMemo } from 'react';
import { formatNs } from '@/lib/format';
import { formatQuantity } from './quantity';
import { logScale } from './scale';

const WIDTH = 900;
const HEIGHT = 300;
const PLOT = { left: 64, right: 888, top: 8, bottom: 258 } as const;
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
}

/** How many answers took how long, over time: nanoseconds upwards in the logarithm, darker for more. */
export function HeatChart({ cells, name }: HeatChartProps): ReactElement {
  const { x, y, limits, shades } = useMemo(() => frameOf(cells), [cells]);
  const { from, to, low, high } = limits;
  const ticks = logScale([low, high]).ticks.filter((tick) => tick >= low && tick <= high);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <figure className="chart-figure heat-figure" aria-label={name} tabIndex={0}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={name}
        className="heat-chart chart-drawing"
      >
        {shades.map((path, shade) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the shade is the place
          <path key={shade} d={path} className="heat-shade" fillOpacity={(shade + 1) / SHADES} />
        ))}
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={PLOT.left} x2={PLOT.right} y1={y(tick)} y2={y(tick)} className="thumbnail-grid" />
            <text x={PLOT.left - 6} y={y(tick) + 4} textAnchor="end">
              {formatNs(tick)}
            </text>
          </g>
        ))}
        {secondTicks(from, to).map((tick) => (
          <text key={tick} x={x(tick)} y={PLOT.bottom + 16} textAnchor="middle">
            {formatQuantity(tick, 'seconds')}
          </text>
        ))}
        <text
          x={(PLOT.left + PLOT.right) / 2}
          y={HEIGHT - 6}
          textAnchor="middle"
          className="chart-axis-title"
        >
          Time since the trial began
        </text>
      </svg>
    </figure>
  );
}

function frameOf(cells: HeatCells) {
  const { columns, edges } = cells;
  const from = columns[0]?.from ?? 0;
  const to = columns.at(-1)?.to ?? 1;
  const low = edges[0] ?? 1;
  const high = edges.at(-1) ?? 10;
  const x = (seconds: number) => PLOT.left + ((seconds - from) / (to - from || 1)) * (PLOT.right - PLOT.left);
  const y = (ns: number) =>
    PLOT.bottom - (Math.log10(ns / low) / (Math.log10(high / low) || 1)) * (PLOT.bottom - PLOT.top);
  return { x, y, limits: { from, to, low, high }, shades: shadePaths(cells, x, y) };
}

function secondTicks(from: number, to: number): number[] {
  const span = to - from;
  const step = [1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600].find((one) => span / one <= 12) ?? 7200;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step);
}

/** The share of a column's answers says the shade, in the logarithm: one slow answer in ten thousand is still seen. */
function shadeOf(count: number, total: number): number {
  if (count <= 0 || total <= 0) return -1;
  const decades = Math.log10(count / total);
  return Math.min(SHADES - 1, Math.max(0, Math.floor(SHADES * (1 + decades / 5))));
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
