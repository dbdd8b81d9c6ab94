import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import { type ChartSeries, failedPoints } from './model';
import { lookOfSeries } from './palette';

interface FailedMarksProps {
  readonly series: readonly ChartSeries[];
  readonly scheme: 'light' | 'dark';
  /** From one name of the axis to the next; all of it where x is a number. */
  readonly roomPx: number;
}

const WIDTH_PX = 9;
/** One failure in a million must be seen too. */
const LEAST_PX = 7;
const HATCH_PX = 5;

/** A hatched column on the x axis for each point with failed operations, as high as their share of the plot. */
export function FailedMarks({ series, scheme, roomPx }: FailedMarksProps): ReactElement | null {
  const area = usePlotArea();
  const toPixel = useXAxisScale();
  if (!area || !toPixel) return null;
  const failed = failedPoints(series);
  return (
    <g>
      {failed.map(({ series: one, point }) => {
        const x = toPixel(point.x);
        if (x === undefined || x < area.x - 1 || x > area.x + area.width + 1) return null;
        const neighbours = failed.filter((other) => other.point.x === point.x);
        const step = Math.min(WIDTH_PX + 1, roomPx / neighbours.length);
        const place = neighbours.findIndex((other) => other.series.key === one.key);
        return (
          <HatchedColumn
            key={`${one.key}:${point.x}`}
            left={x + (place - neighbours.length / 2) * step}
            width={Math.max(2, step - 1)}
            bottom={area.y + area.height}
            height={Math.max(LEAST_PX, area.height * Math.min(1, point.failed.share))}
            color={lookOfSeries(one, scheme).color}
            title={`${one.label}: ${point.failed.text}`}
          />
        );
      })}
    </g>
  );
}

interface HatchedColumnProps {
  readonly left: number;
  readonly width: number;
  readonly bottom: number;
  readonly height: number;
  readonly color: string;
  readonly title: string;
}

function HatchedColumn({ left, width, bottom, height, color, title }: HatchedColumnProps): ReactElement {
  const top = bottom - height;
  const rungs = Array.from(
    { length: Math.floor(height / HATCH_PX) },
    (_, index) => bottom - index * HATCH_PX,
  );
  return (
    <g className="chart-failed">
      <title>{title}</title>
      <rect x={left} y={top} width={width} height={height} fill={color} fillOpacity={0.15} stroke={color} />
      {rungs.map((y) => (
        <line
          key={y}
          x1={left}
          x2={left + width}
          y1={y}
          y2={Math.max(top, y - HATCH_PX)}
          stroke={color}
          strokeWidth={1.5}
        />
      ))}
    </g>
  );
}
