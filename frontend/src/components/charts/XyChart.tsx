import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
} from 'recharts';
import { xAxisOf, Y_AXIS_PX, yAxisOf } from './axes';
import { ChartTooltip, type TooltipEntry } from './ChartTooltip';
import { DragZoom } from './DragZoom';
import { EventMarks } from './EventMarks';
import { FailedMarks } from './FailedMarks';
import { Markers } from './Markers';
import {
  type ChartAxis,
  type ChartLevel,
  type ChartMark,
  type ChartPoint,
  type ChartRow,
  type ChartSeries,
  type ChartSpan,
  stretchesOf,
  toRows,
  yValues,
  type Zoom,
} from './model';
import { PlotMarks } from './PlotMarks';
import { lookOf, lookOfSeries } from './palette';
import { formatQuantity } from './quantity';
import { type AxisScale, namesScale, xScale } from './scale';
import { timeScale } from './time-scale';
import { useScheme } from './useScheme';
import { Whiskers } from './Whiskers';

export interface XyChartProps {
  readonly series: readonly ChartSeries[];
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  /** Said to screen readers as the name of the drawing. */
  readonly name: string;
  readonly height?: number;
  readonly zoom?: Zoom | null;
  readonly onZoom?: (zoom: Zoom | null) => void;
  /** Charts with the same id share the cross-hair. */
  readonly syncId?: string;
  /** Limits and ticks of x where the data does not give them (a trial that still grows). */
  readonly xLimits?: AxisScale;
  /** Stretches of x with a name (phases). */
  readonly spans?: readonly ChartSpan[];
  /** What happened, at its x. */
  readonly marks?: readonly ChartMark[];
  /** What the lines are held against. */
  readonly level?: ChartLevel;
  /** A click on the plot: the point nearest in x. */
  readonly onPoint?: (point: ChartPoint, series: ChartSeries) => void;
}

/** Before it is known. */
const WIDTH_PX = 600;
const MARGIN = { top: 8, right: 18, bottom: 20, left: 14 } as const;

/** Lines over a numeric axis with bands over trials. Nothing is smoothed, nothing animates. */
export function XyChart(props: XyChartProps): ReactElement {
  const { series, x, y, zoom = null, height = 300 } = props;
  const scheme = useScheme();
  const rows = useMemo(() => toRows(series, y.isLog), [series, y.isLog]);
  const [width, setWidth] = useState(WIDTH_PX);
  const roomPx = (width - MARGIN.left - MARGIN.right - Y_AXIS_PX) / (x.names?.length ?? 1);
  const xAxis = props.xLimits ?? xAxisScale(x, rows, zoom);
  const { onPoint } = props;
  const pick = (at: number) => entriesOf(nearestRow(rows, at), series).slice(0, 1).map(clicked(onPoint));
  const tooltip = ({ active, label }: { active?: boolean; label?: unknown }): ReactNode => {
    if (!active) return null;
    const row = rows.find((candidate) => candidate.x === Number(label));
    return (
      <ChartTooltip
        title={placeTitle(x, Number(label))}
        entries={entriesOf(row, series)}
        quantity={y.quantity}
        scheme={scheme}
      />
    );
  };
  return (
    <figure className="chart-figure chart-xy" aria-label={props.name}>
      <ResponsiveContainer width="100%" height={height} onResize={setWidth}>
        <ComposedChart
          data={rows}
          margin={MARGIN}
          syncId={props.syncId}
          syncMethod="value"
          title={props.name}
        >
          <CartesianGrid stroke="var(--chart-grid)" />
          {xAxisOf(x, xAxis, roomPx)}
          {yAxisOf(y, [...(y.values ?? yValues(series, zoom)), ...levelValues(props.level)])}
          <Tooltip content={tooltip} isAnimationActive={false} cursor={{ className: 'chart-cursor' }} />
          {props.level && levelOf(props.level)}
          {bands(series, scheme, y.isLog)}
          {lines(series, scheme, y.isLog)}
          {(props.spans ?? []).map((span) => spanOf(span, xAxis.domain))}
          <Whiskers series={series} isLog={y.isLog} scheme={scheme} roomPx={roomPx} />
          <FailedMarks series={series} scheme={scheme} roomPx={roomPx} />
          <Markers series={series} isLog={y.isLog} scheme={scheme} roomPx={roomPx} />
          <PlotMarks series={series} isLog={y.isLog} scheme={scheme} />
          {props.marks && <EventMarks marks={props.marks} isUnderNames={Boolean(props.spans?.length)} />}
          {props.onZoom && <DragZoom onZoom={props.onZoom} onPick={onPoint && pick} />}
        </ComposedChart>
      </ResponsiveContainer>
    </figure>
  );
}

function clicked(onPoint: XyChartProps['onPoint']) {
  return ({ point, series }: TooltipEntry): void => onPoint?.(point, series);
}

/** "connections 64", or the name that stands there. */
function placeTitle({ title, quantity, names }: ChartAxis, at: number): string {
  return names ? (names[at] ?? title) : `${title} ${formatQuantity(at, quantity)}`;
}

function xAxisScale(x: ChartAxis, rows: readonly ChartRow[], zoom: Zoom | null): AxisScale {
  if (x.names) return namesScale(x.names);
  const values = x.values ?? rows.map((row) => row.x);
  return x.quantity === 'time' ? timeScale(values, zoom) : xScale(values, x.isLog, zoom);
}

function nearestRow(rows: readonly ChartRow[], at: number): ChartRow | undefined {
  return rows.reduce<ChartRow | undefined>(
    (best, row) => (best && Math.abs(best.x - at) <= Math.abs(row.x - at) ? best : row),
    undefined,
  );
}

function levelValues(level: ChartLevel | undefined): number[] {
  return level ? [level.low, level.high] : [];
}

function entriesOf(row: ChartRow | undefined, series: readonly ChartSeries[]): TooltipEntry[] {
  return series.flatMap((one, index) => {
    const point = row?.points[index];
    return point ? [{ series: one, point }] : [];
  });
}

/** A name needs about this share of the axis to stand inside its span. */
const NAMED_SHARE = 0.15;

function spanOf({ from, to, label }: ChartSpan, [first, last]: AxisScale['domain']): ReactElement {
  const isNamed = to - from > (last - first) * NAMED_SHARE;
  return (
    <ReferenceArea
      key={`${label}:${from}`}
      x1={from}
      x2={to}
      className="chart-span"
      label={isNamed ? { value: label, position: 'insideTopLeft', className: 'chart-span-label' } : undefined}
      ifOverflow="hidden"
    />
  );
}

function levelOf({ low, high, label }: ChartLevel): ReactElement {
  return (
    <ReferenceArea
      y1={low}
      y2={high}
      className="chart-level"
      label={{ value: label, position: 'insideBottomLeft', className: 'chart-span-label' }}
      ifOverflow="hidden"
    />
  );
}

function bands(series: readonly ChartSeries[], scheme: 'light' | 'dark', isLog: boolean): ReactElement[] {
  return series.flatMap((one, index) =>
    stretchesOf(one, isLog).map(([from, to]) => (
      <Area
        key={`band:${one.key}:${from}`}
        dataKey={(row: ChartRow) => (row.x > from && row.x < to ? row.bands[index] : null)}
        fill={lookOf(one.lookIndex, scheme, one.tint).color}
        fillOpacity={one.isUnjoined ? 0 : 0.16}
        stroke="none"
        dot={false}
        activeDot={false}
        isAnimationActive={false}
        connectNulls={one.isJoined ?? false}
        tooltipType="none"
        legendType="none"
      />
    )),
  );
}

function lines(series: readonly ChartSeries[], scheme: 'light' | 'dark', isLog: boolean): ReactElement[] {
  return series.flatMap((one, index) => {
    const look = lookOfSeries(one, scheme);
    return stretchesOf(one, isLog).map(([from, to]) => (
      <Line
        key={`${one.key}:${from}`}
        name={one.label}
        className={`curve-${index}`}
        dataKey={(row: ChartRow) => (row.x > from && row.x < to ? row.values[index] : null)}
        type="linear"
        stroke={one.isUnjoined ? 'none' : look.color}
        strokeWidth={one.isBare || one.isReference ? 1.5 : 2}
        strokeDasharray={look.dash}
        dot={false}
        activeDot={{ r: 4, stroke: look.color, fill: look.color }}
        isAnimationActive={false}
        connectNulls={one.isJoined ?? false}
      />
    ));
  });
}
