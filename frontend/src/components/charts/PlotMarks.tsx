import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartSeries } from './model';
import { excludedPoints, voidPoints, zeroPoints } from './model';
import { lookOf } from './palette';

interface PlotMarksProps {
  readonly series: readonly ChartSeries[];
  readonly isLog: boolean;
  readonly scheme: 'light' | 'dark';
}

const MARK_PX = 11;

/** What has no place on the line but must be seen: void points (hatched) and zeros on a log axis (the word). */
export function PlotMarks({ series, isLog, scheme }: PlotMarksProps): ReactElement | null {
  const area = usePlotArea();
  const toPixel = useXAxisScale();
  if (!area || !toPixel) return null;
  const bottom = area.y + area.height;
  const voids = voidPoints(series);
  const isInside = (x: number | undefined): x is number =>
    x !== undefined && x >= area.x - 1 && x <= area.x + area.width + 1;
  return (
    <g>
      <ExcludedMarks series={series} scheme={scheme} isInside={isInside} />
      {voids.map(({ series: one, point }, index) => {
        const x = toPixel(point.x);
        if (!isInside(x)) return null;
        return (
          <VoidMark
            key={`${one.key}:${point.x}`}
            x={x}
            y={
              bottom -
              MARK_PX * (1 + voids.slice(0, index).filter((other) => other.point.x === point.x).length)
            }
            color={lookOf(one.lookIndex, scheme).color}
            label={`${one.label} at ${point.x}: void${point.note ? `, ${point.note}` : ''}`}
          />
        );
      })}
      {zeroPoints(series, isLog).map(({ seriesLabel, x: value }) => {
        const x = toPixel(value);
        if (!isInside(x)) return null;
        return (
          <text
            key={`${seriesLabel}:${value}`}
            x={x}
            y={bottom - 4}
            textAnchor="middle"
            className="chart-zero"
          >
            zero
          </text>
        );
      })}
    </g>
  );
}

interface ExcludedMarksProps extends Pick<PlotMarksProps, 'series' | 'scheme'> {
  readonly isInside: (x: number | undefined) => x is number;
}

function ExcludedMarks({ series, scheme, isInside }: ExcludedMarksProps): ReactElement {
  const toPixel = useXAxisScale();
  const toHeight = useYAxisScale();
  return (
    <g>
      {excludedPoints(series).map(({ series: one, point }) => {
        const x = toPixel?.(point.x);
        const y = toHeight?.(point.y);
        if (!isInside(x) || y === undefined) return null;
        const { color } = lookOf(one.lookIndex, scheme);
        return (
          <circle key={`${one.key}:${point.x}`} cx={x} cy={y} r={4} className="chart-excluded" stroke={color}>
            <title>{`excluded${point.note ? `: ${point.note}` : ''}`}</title>
          </circle>
        );
      })}
    </g>
  );
}

function VoidMark({
  x,
  y,
  color,
  label,
}: {
  x: number;
  y: number;
  color: string;
  label: string;
}): ReactElement {
  const half = MARK_PX / 2;
  return (
    <g>
      <title>{label}</title>
      <rect
        x={x - half}
        y={y - half}
        width={MARK_PX}
        height={MARK_PX}
        fill="none"
        stroke={color}
        strokeDasharray="2 2"
      />
      {[-half, 0, half].map((shift) => (
        <line
          key={shift}
          x1={Math.max(x - half, x - half + shift)}
          y1={Math.min(y + half, y + half + shift)}
          x2={Math.min(x + half, x + half + shift)}
          y2={Math.max(y - half, y - half + shift)}
          stroke={color}
          strokeWidth={1}
        />
      ))}
    </g>
  );
}
