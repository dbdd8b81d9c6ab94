import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale, useYAxisScale } from 'recharts';
import type { ChartSeries } from './model';
import { lookOfSeries } from './palette';
import { placedWords } from './placed-words';

interface PointMarksProps {
  readonly series: readonly ChartSeries[];
  readonly scheme: 'light' | 'dark';
}

/** A ring and a word at points that mean something; words step aside for each other. */
export function PointMarks({ series, scheme }: PointMarksProps): ReactElement | null {
  const area = usePlotArea();
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  if (!area || !toX || !toY) return null;
  const marks = series.flatMap((one) =>
    one.points.flatMap(({ x, y, mark }) => {
      const [left, top] = [toX(x), toY(y)];
      if (mark === undefined || left === undefined || top === undefined) return [];
      return [{ key: one.key, word: mark, x: left, y: top, color: lookOfSeries(one, scheme).color }];
    }),
  );
  return (
    <g>
      {placedWords(marks, area).map(({ key, word, x, y, color, wordX, wordY }) => (
        <g key={key}>
          <circle cx={x} cy={y} r={9} fill="none" stroke={color} strokeWidth={1.5} />
          {wordX !== null && (
            <text x={wordX} y={wordY} textAnchor="middle" className="chart-point-mark">
              {word}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
