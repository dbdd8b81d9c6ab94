import { type ReactElement, type ReactNode, useMemo } from 'react';
import { CartesianGrid, ResponsiveContainer, Scatter, ScatterChart, Tooltip } from 'recharts';
import { xAxisOf, yAxisOf } from './axes';
import { ChartTooltip } from './ChartTooltip';
import { Marker } from './Marker';
import type { ChartAxis, ChartPoint, ChartSeries } from './model';
import { PointMarks } from './PointMarks';
import { lookOfSeries } from './palette';
import { formatQuantity } from './quantity';
import { linearScale, logScale } from './scale';
import { useScheme } from './useScheme';

interface ParametricChartProps {
  readonly series: readonly ChartSeries[];
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly name: string;
  readonly height?: number;
}

interface Dot extends ChartPoint {
  readonly seriesIndex: number;
}

/** Points joined in the order of the axis that binds them, not of x: a curve may bend back (throughput past the knee). */
export function ParametricChart({ series, x, y, name, height = 300 }: ParametricChartProps): ReactElement {
  const scheme = useScheme();
  const dots = useMemo(
    () => series.map(({ points }, seriesIndex) => drawableDots(points, seriesIndex, x.isLog, y.isLog)),
    [series, x.isLog, y.isLog],
  );
  const xValues = x.values ?? dots.flat().map((dot) => dot.x);
  const yAll = y.values ?? dots.flat().flatMap((dot) => (dot.y === null ? [] : [dot.y]));
  const tooltip = ({
    active,
    payload,
  }: {
    active?: boolean;
    payload?: ReadonlyArray<{ payload?: unknown }>;
  }): ReactNode => {
    const dot = payload?.[0]?.payload as Dot | undefined;
    const one = dot && series[dot.seriesIndex];
    if (!active || !dot || !one) return null;
    return (
      <ChartTooltip
        title={`${x.title} ${formatQuantity(dot.x, x.quantity)}`}
        entries={[{ series: one, point: dot }]}
        quantity={y.quantity}
        scheme={scheme}
      />
    );
  };
  return (
    <figure className="chart-figure" aria-label={name}>
      <ResponsiveContainer width="100%" height={height}>
        <ScatterChart margin={{ top: 8, right: 18, bottom: 20, left: 14 }} title={name}>
          <CartesianGrid stroke="var(--chart-grid)" />
          {xAxisOf(x, x.isLog ? logScale(xValues) : linearScale(xValues, { fromZero: true }))}
          {yAxisOf(y, yAll, 'y')}
          <Tooltip content={tooltip} isAnimationActive={false} cursor={{ className: 'chart-cursor' }} />
          {series.map((one, index) => scatterOf(one, dots[index] ?? [], scheme))}
          <PointMarks series={series} scheme={scheme} />
        </ScatterChart>
      </ResponsiveContainer>
    </figure>
  );
}

function drawableDots(
  points: readonly ChartPoint[],
  seriesIndex: number,
  isLogX: boolean,
  isLogY: boolean,
): Dot[] {
  return points
    .filter(({ x, y }) => y !== null && (!isLogX || x > 0) && (!isLogY || y > 0))
    .map((point) => ({ ...point, seriesIndex }));
}

function scatterOf(one: ChartSeries, dots: Dot[], scheme: 'light' | 'dark'): ReactElement {
  const look = lookOfSeries(one, scheme);
  return (
    <Scatter
      key={one.key}
      name={one.label}
      data={dots}
      line={one.isUnjoined ? false : { stroke: look.color, strokeWidth: 2, strokeDasharray: look.dash }}
      lineType="joint"
      shape={({ cx, cy }: { cx?: number; cy?: number }) => <Marker look={look} x={cx ?? 0} y={cy ?? 0} />}
      fill={look.color}
      isAnimationActive={false}
    />
  );
}
