import { type ReactElement, type ReactNode, useMemo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { ChartTooltip, type TooltipEntry } from './ChartTooltip';
import { DragZoom } from './DragZoom';
import { Marker } from './Marker';
import {
  type ChartAxis,
  type ChartRow,
  type ChartSeries,
  type ChartSpan,
  toRows,
  yValues,
  type Zoom,
} from './model';
import { PlotMarks } from './PlotMarks';
import { type Look, lookOf, lookOfSeries } from './palette';
import { axisTitle, formatQuantity, formatTick } from './quantity';
import { type AxisScale, axisUnit, linearScale, logScale, xScale } from './scale';
import { useScheme } from './useScheme';

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
}

/** Lines over a numeric axis with bands over trials. Nothing is smoothed, nothing animates. */
export function XyChart(props: XyChartProps): ReactElement {
  const { series, x, y, zoom = null, height = 300 } = props;
  const scheme = useScheme();
  const rows = useMemo(() => toRows(series, y.isLog), [series, y.isLog]);
  const xAxis = props.xLimits ?? xScale(x.values ?? rows.map((row) => row.x), x.isLog, zoom);
  const tooltip = ({ active, label }: { active?: boolean; label?: unknown }): ReactNode => {
    if (!active) return null;
    const row = rows.find((candidate) => candidate.x === Number(label));
    return (
      <ChartTooltip
        title={`${x.title} ${formatQuantity(Number(label), x.quantity)}`}
        entries={row ? entriesOf(row, series) : []}
        quantity={y.quantity}
        scheme={scheme}
      />
    );
  };
  return (
    <figure className="chart-figure chart-xy" aria-label={props.name}>
      <ResponsiveContainer width="100%" height={height}>
        <ComposedChart
          data={rows}
          margin={{ top: 8, right: 18, bottom: 20, left: 14 }}
          syncId={props.syncId}
          syncMethod="value"
          title={props.name}
        >
          <CartesianGrid stroke="var(--chart-grid)" />
          {xAxisOf(x, xAxis)}
          {yAxisOf(y, y.values ?? yValues(series, zoom))}
          <Tooltip content={tooltip} isAnimationActive={false} cursor={{ className: 'chart-cursor' }} />
          {bands(series, scheme)}
          {lines(series, scheme)}
          {(props.spans ?? []).map((span) => spanOf(span, xAxis.domain))}
          <PlotMarks series={series} isLog={y.isLog} scheme={scheme} />
          {props.onZoom && <DragZoom onZoom={props.onZoom} />}
        </ComposedChart>
      </ResponsiveContainer>
    </figure>
  );
}

function entriesOf(row: ChartRow, series: readonly ChartSeries[]): TooltipEntry[] {
  return series.flatMap((one, index) => {
    const point = row.points[index];
    return point ? [{ series: one, point }] : [];
  });
}

/** Functions, not components: Recharts looks at the types of its children. */
export function xAxisOf(axis: ChartAxis, { domain, ticks }: AxisScale): ReactElement {
  const unit = axisUnit(axis.quantity, domain[1]);
  return (
    <XAxis
      dataKey="x"
      type="number"
      scale={axis.isLog ? 'log' : 'linear'}
      domain={domain}
      ticks={ticks}
      allowDataOverflow
      tickFormatter={(value: number) => formatTick(value, unit)}
      label={{
        value: axisTitle(axis.title, unit),
        position: 'insideBottom',
        offset: -12,
        className: 'chart-axis-title',
      }}
      minTickGap={4}
      interval="preserveStartEnd"
    />
  );
}

export function yAxisOf(axis: ChartAxis, values: readonly number[], dataKey?: string): ReactElement {
  const { domain, ticks } = axis.isLog ? logScale(values) : linearScale(values, { fromZero: true });
  const unit = axisUnit(axis.quantity, axis.isLog ? Math.sqrt(domain[0] * domain[1]) : domain[1] / 2);
  return (
    <YAxis
      type="number"
      dataKey={dataKey}
      scale={axis.isLog ? 'log' : 'linear'}
      domain={domain}
      ticks={ticks}
      allowDataOverflow
      width={62}
      tickFormatter={(value: number) => formatTick(value, unit)}
      label={{
        value: axisTitle(axis.title, unit),
        angle: -90,
        position: 'insideLeft',
        offset: -4,
        style: { textAnchor: 'middle' },
        className: 'chart-axis-title',
      }}
    />
  );
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

function bands(series: readonly ChartSeries[], scheme: 'light' | 'dark'): ReactElement[] {
  return series.map(({ key, lookIndex, tint }, index) => (
    <Area
      key={`band:${key}`}
      dataKey={(row: ChartRow) => row.bands[index]}
      fill={lookOf(lookIndex, scheme, tint).color}
      fillOpacity={0.16}
      stroke="none"
      dot={false}
      activeDot={false}
      isAnimationActive={false}
      connectNulls={false}
      tooltipType="none"
      legendType="none"
    />
  ));
}

function lines(series: readonly ChartSeries[], scheme: 'light' | 'dark'): ReactElement[] {
  return series.map((one, index) => {
    const look = lookOfSeries(one, scheme);
    return (
      <Line
        key={one.key}
        name={one.label}
        dataKey={(row: ChartRow) => row.values[index]}
        type="linear"
        stroke={look.color}
        strokeWidth={one.isBare ? 1.5 : 2}
        strokeDasharray={look.dash}
        dot={one.isBare ? false : markerDot(look)}
        activeDot={{ r: 4, stroke: look.color, fill: look.color }}
        isAnimationActive={false}
        connectNulls={false}
      />
    );
  });
}

interface DotProps {
  readonly cx?: number;
  readonly cy?: number;
  readonly index?: number;
}

function markerDot(look: Look) {
  return ({ cx, cy, index }: DotProps): ReactElement =>
    typeof cx === 'number' && typeof cy === 'number' ? (
      <Marker key={index} look={look} x={cx} y={cy} />
    ) : (
      <g key={index} />
    );
}
