import type { ReactElement } from 'react';
import { Marker } from './Marker';
import type { Look } from './palette';

/** A piece of the line with its marker, as it is drawn in the chart. */
export function SeriesKey({ look }: { readonly look: Look }): ReactElement {
  return (
    <svg width={26} height={12} aria-hidden="true" style={{ verticalAlign: 'middle', flex: 'none' }}>
      <line x1={0} x2={26} y1={6} y2={6} stroke={look.color} strokeWidth={2} strokeDasharray={look.dash} />
      <Marker look={look} x={13} y={6} radius={3.2} />
    </svg>
  );
}
