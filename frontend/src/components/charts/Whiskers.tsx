import type { ReactElement } from 'react';
import { useXAxisScale, useYAxisScale } from 'recharts';
import { type ChartSeries, sideways } from './model';
import { lookOfSeries } from './palette';

interface WhiskersProps {
  readonly series: readonly ChartSeries[];
  readonly isLog: boolean;
  readonly scheme: 'light' | 'dark';
  /** From one name of the axis to the next. */
  readonly roomPx: number;
}

const CAP_PX = 4;

/** The bands of points that no line joins: a stroke from the lowest to the highest trial. */
export function Whiskers({ series, isLog, scheme, roomPx }: WhiskersProps): ReactElement {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const shifts = sideways(series, roomPx);
  const spans = series
    .filter(({ isUnjoined }) => isUnjoined)
    .flatMap((one) =>
      one.points.flatMap(({ x, low, high }) =>
        typeof low === 'number' && typeof high === 'number' && (!isLog || low > 0)
          ? [{ one, at: x, x: shifted(toX?.(x), shifts.get(one.key)), low: toY?.(low), high: toY?.(high) }]
          : [],
      ),
    );
  return (
    <g>
      {spans.map(({ one, at, x, low, high }) =>
        x === undefined || low === undefined || high === undefined ? null : (
          <path
            key={`${one.key}:${at}`}
            d={`M${x - CAP_PX} ${low}h${CAP_PX * 2}M${x} ${low}V${high}M${x - CAP_PX} ${high}h${CAP_PX * 2}`}
            stroke={lookOfSeries(one, scheme).color}
            strokeWidth={1.2}
            fill="none"
          />
        ),
      )}
    </g>
  );
}

function shifted(x: number | undefined, by = 0): number | undefined {
  return x === undefined ? undefined : x + by;
}
