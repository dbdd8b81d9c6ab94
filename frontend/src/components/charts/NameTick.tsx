import type { ReactElement } from 'react';
import { usePlotArea } from 'recharts';
import { isTilted, LINE_PX, linesOf, nameHeight as heightOf, shortened } from './name-lines';

interface NameTickProps {
  readonly names: readonly string[];
  /** Given by Recharts. */
  readonly x?: number;
  readonly y?: number;
  readonly payload?: { readonly value: number };
}

export const nameHeight = heightOf;

/** A name under its place: in lines of its words, or tilted where a word has no room; whole when pointed at. */
export function NameTick({ names, x = 0, y = 0, payload }: NameTickProps): ReactElement {
  const area = usePlotArea();
  const name = names[payload?.value ?? 0] ?? '';
  const room = (area?.width ?? 0) / Math.max(1, names.length);
  const tilted = isTilted(names, room);
  return (
    <g transform={`translate(${x},${y})`} className="recharts-cartesian-axis-tick-value">
      <title>{name}</title>
      {tilted ? (
        <text transform="rotate(-40)" textAnchor="end" dy={8} fill="currentColor">
          {shortened(name)}
        </text>
      ) : (
        <text textAnchor="middle" fill="currentColor">
          {linesOf(name, room).map((line, index) => (
            <tspan key={line} x={0} y={LINE_PX * (index + 0.8)}>
              {line}
            </tspan>
          ))}
        </text>
      )}
    </g>
  );
}
