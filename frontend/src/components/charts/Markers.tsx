import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale, useYAxisScale } from 'recharts';
import { Marker } from './Marker';
import { type ChartPoint, type ChartSeries, sideways } from './model';
import { lookOfSeries } from './palette';

interface MarkersProps {
  readonly series: readonly ChartSeries[];
  readonly isLog: boolean;
  readonly scheme: 'light' | 'dark';
  /** From one name of the axis to the next. */
  readonly roomPx: number;
}

/** Half of a pixel lies between a place on the frame and one outside of it. */
const FRAME_PX = 1;

/** The markers of all points. Not those of the lines, which are cut in half on the frame of the plot. */
export function Markers({ series, isLog, scheme, roomPx }: MarkersProps): ReactElement | null {
  const area = usePlotArea();
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (!area || !toX || !toY) return null;
  const shifts = sideways(series, roomPx);
  const isInside = (x: number, y: number) =>
    x >= area.x - FRAME_PX &&
    x <= area.x + area.width + FRAME_PX &&
    y >= area.y - FRAME_PX &&
    y <= area.y + area.height + FRAME_PX;
  return (
    <g>
      {series
        .filter(({ isBare }) => !isBare)
        .flatMap((one) =>
          one.points.filter(isDrawn(isLog)).map((point) => {
            const [x, y] = [toX(point.x), toY(point.y)];
            if (x === undefined || y === undefined || !isInside(x, y)) return null;
            const look = lookOfSeries(one, scheme);
            return (
              <Marker key={`${one.key}:${point.x}`} look={look} x={x + (shifts.get(one.key) ?? 0)} y={y} />
            );
          }),
        )}
    </g>
  );
}

function isDrawn(isLog: boolean) {
  return ({ y, isExcluded }: ChartPoint): boolean => y !== null && !isExcluded && (!isLog || y > 0);
}
