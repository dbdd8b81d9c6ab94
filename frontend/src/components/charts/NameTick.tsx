import type { ReactElement } from 'react';
import { isTilted, LINE_PX, linesOf, shortened } from './name-lines';

interface NameTickProps {
  readonly names: readonly string[];
  /** From one place of the axis to the next. */
  readonly roomPx: number;
  /** Given by Recharts. */
  readonly x?: number;
  readonly y?: number;
  readonly payload?: { readonly value: number };
}

/** A name under its place: in lines of its words, or tilted where a word has no room; whole when pointed at. */
export function NameTick({ names, roomPx, x = 0, y = 0, payload }: NameTickProps): ReactElement {
  const name = names[payload?.value ?? 0] ?? '';
  return (
    <g transform={`translate(${x},${y})`} className="chart-axis-name">
      <title>{name}</title>
      {isTilted(names, roomPx) ? (
        <text transform="rotate(-40)" textAnchor="end" dy={8}>
          {shortened(name)}
        </text>
      ) : (
        <text textAnchor="middle">
          {linesOf(name, roomPx).map((line, index) => (
            <tspan key={line} x={0} y={LINE_PX * (index + 0.8)}>
              {line}
            </tspan>
          ))}
        </text>
      )}
    </g>
  );
}
