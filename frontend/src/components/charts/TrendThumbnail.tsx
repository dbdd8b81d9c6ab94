import { type ReactElement, useMemo } from 'react';
import type { ChartLevel, ChartMark, ChartSeries } from './model';
import { yValues } from './model';
import { lookOf } from './palette';
import { formatQuantity } from './quantity';
import { linearScale, type Quantity } from './scale';
import { formatInstantTick, timeScale } from './time-scale';
import { useScheme } from './useScheme';

const WIDTH = 340;
const HEIGHT = 132;
const PLOT = { left: 66, right: 334, top: 8, bottom: 112 } as const;

interface TrendThumbnailProps {
  readonly series: readonly ChartSeries[];
  readonly marks: readonly ChartMark[];
  readonly quantity: Quantity;
  readonly level?: ChartLevel;
  /** Shared by all panels of a wall. */
  readonly range?: readonly [number, number];
  readonly name: string;
}

/** A trend drawn small, in plain SVG: a wall of sixty costs less than two charts. */
export function TrendThumbnail(props: TrendThumbnailProps): ReactElement {
  const { series, marks, quantity, level, range, name } = props;
  const scheme = useScheme();
  const plot = useMemo(() => plotOf(series, quantity, level, range), [series, quantity, level, range]);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={name}
      className="trend-thumbnail chart-drawing"
    >
      {plot.yTicks.map(({ at, text }) => (
        <g key={text}>
          <line x1={PLOT.left} x2={PLOT.right} y1={at} y2={at} className="thumbnail-grid" />
          <text x={PLOT.left - 4} y={at + 3} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {plot.xTicks.map(({ at, text }) => (
        <text key={at} x={at} y={HEIGHT - 6} textAnchor="middle">
          {text}
        </text>
      ))}
      {level && (
        <rect
          x={PLOT.left}
          width={PLOT.right - PLOT.left}
          y={plot.y(level.high)}
          height={Math.max(1, plot.y(level.low) - plot.y(level.high))}
          className="chart-level"
        />
      )}
      {series.map((one) => (
        <ThumbnailLine key={one.key} one={one} plot={plot} color={lookOf(one.lookIndex, scheme).color} />
      ))}
      {marks.map((mark) => (
        <ThumbnailMark key={mark.key} mark={mark} x={plot.x(mark.x)} />
      ))}
    </svg>
  );
}

interface Tick {
  readonly at: number;
  readonly text: string;
}

interface Plot {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
}

function plotOf(
  series: readonly ChartSeries[],
  quantity: Quantity,
  level: ChartLevel | undefined,
  range: readonly [number, number] | undefined,
): Plot {
  const times = timeScale(range ?? series.flatMap(({ points }) => points.map((point) => point.x)), null);
  const values = [...yValues(series, null), ...(level ? [level.low, level.high] : [])];
  const scale = linearScale(values, { fromZero: false });
  const x = between(times.domain, PLOT.left, PLOT.right);
  const y = between(scale.domain, PLOT.bottom, PLOT.top);
  const ends = [scale.ticks[0], scale.ticks.at(-1)].filter((tick) => tick !== undefined);
  return {
    x,
    y,
    xTicks: times.ticks
      .map((tick) => ({ at: x(tick), text: formatInstantTick(tick, times.domain) }))
      .filter(({ at }) => at > PLOT.left + 14 && at < PLOT.right - 14)
      .filter((_, index, all) => all.length <= 5 || index % 2 === 0),
    yTicks: ends.map((tick) => ({ at: y(tick), text: formatQuantity(tick, quantity) })),
  };
}

function between([from, to]: readonly [number, number], start: number, end: number) {
  return (value: number) => Math.round((start + ((value - from) / (to - from)) * (end - start)) * 10) / 10;
}

interface ThumbnailLineProps {
  readonly one: ChartSeries;
  readonly plot: Plot;
  readonly color: string;
}

function ThumbnailLine({ one, plot, color }: ThumbnailLineProps): ReactElement {
  const drawn = one.points.filter(({ y, isExcluded }) => y !== null && !isExcluded);
  const line = drawn.map(({ x, y }) => `${plot.x(x)},${plot.y(y ?? 0)}`).join(' ');
  const above = drawn.map(({ x, y, high }) => `${plot.x(x)},${plot.y(high ?? y ?? 0)}`);
  const below = drawn.map(({ x, y, low }) => `${plot.x(x)},${plot.y(low ?? y ?? 0)}`).reverse();
  return (
    <g>
      <polygon points={[...above, ...below].join(' ')} fill={color} fillOpacity={0.16} />
      <polyline points={line} fill="none" stroke={color} strokeWidth={1.4} />
      {drawn.length === 1 && drawn[0] && (
        <circle cx={plot.x(drawn[0].x)} cy={plot.y(drawn[0].y ?? 0)} r={2.5} fill={color} />
      )}
      {one.points
        .filter(({ isExcluded, y }) => isExcluded && y !== null)
        .map(({ x, y }) => (
          <circle
            key={x}
            cx={plot.x(x)}
            cy={plot.y(y ?? 0)}
            r={2.5}
            className="chart-excluded"
            stroke={color}
          />
        ))}
    </g>
  );
}

function ThumbnailMark({ mark, x }: { readonly mark: ChartMark; readonly x: number }): ReactElement | null {
  if (x < PLOT.left - 1 || x > PLOT.right + 1) return null;
  return (
    <g className="chart-event" data-kind={mark.kind} data-tone={mark.tone}>
      <line x1={x} x2={x} y1={PLOT.top} y2={PLOT.bottom} />
      {mark.kind === 'flag' ? (
        <path d={`M${x} ${PLOT.bottom - 7}h7l-2 3l2 3h-7z`} />
      ) : (
        <text
          x={x > PLOT.right - 50 ? x - 3 : x + 3}
          y={PLOT.top + 8}
          textAnchor={x > PLOT.right - 50 ? 'end' : 'start'}
        >
          {mark.label}
        </text>
      )}
    </g>
  );
}
