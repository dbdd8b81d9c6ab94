import type { ReactElement } from 'react';
import type { Look, Marker as MarkerName } from './palette';

interface MarkerProps {
  readonly look: Look;
  readonly x: number;
  readonly y: number;
  readonly radius?: number;
}

/** The marker of a target, in a chart and in its legend. */
export function Marker({ look, x, y, radius = 4 }: MarkerProps): ReactElement | null {
  const fill = look.isHollow ? 'var(--mantine-color-body)' : look.color;
  const paint = { fill, stroke: look.color, strokeWidth: 1.5 };
  switch (look.marker) {
    case 'circle':
      return <circle cx={x} cy={y} r={radius} {...paint} />;
    case 'ring':
      return <circle cx={x} cy={y} r={radius} {...paint} fill="none" strokeWidth={2.5} />;
    case 'square':
      return <rect x={x - radius} y={y - radius} width={radius * 2} height={radius * 2} {...paint} />;
    case 'bar':
      return <rect x={x - radius / 2} y={y - radius * 1.3} width={radius} height={radius * 2.6} {...paint} />;
    case null:
      return null;
    default:
      return <path d={outline(look.marker, x, y, radius)} {...paint} strokeLinejoin="round" />;
  }
}

function outline(marker: MarkerName, x: number, y: number, radius: number): string {
  const corners: Partial<Record<MarkerName, [count: number, turn: number, waist: number]>> = {
    triangle: [3, -90, 1],
    'triangle-down': [3, 90, 1],
    diamond: [4, -90, 1],
    hexagon: [6, 0, 1],
    star: [5, -90, 0.45],
    cross: [4, -45, 0.35],
  };
  const [count, turn, waist] = corners[marker] ?? [4, 0, 1];
  const reach = radius * 1.25;
  const steps = waist === 1 ? count : count * 2;
  const points = Array.from({ length: steps }, (_, index) => {
    const angle = ((turn + (360 / steps) * index) * Math.PI) / 180;
    const distance = waist !== 1 && index % 2 === 1 ? reach * waist : reach;
    return `${(x + distance * Math.cos(angle)).toFixed(2)},${(y + distance * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${points.join('L')}Z`;
}
