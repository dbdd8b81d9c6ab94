import type { ReactElement } from 'react';

interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}

/** The shape of the last seconds, without axes. Plain SVG, so that a page without charts loads none. */
export function Sparkline({ values, label, width = 160, height = 32 }: SparklineProps): ReactElement {
  const highest = Math.max(...values, 0) || 1;
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map((value, index) => {
    const y = height - 2 - (value / highest) * (height - 4);
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg role="img" aria-label={label} width={width} height={height} className="sparkline">
      <polyline points={points.join(' ')} fill="none" strokeWidth={1.5} />
    </svg>
  );
}
