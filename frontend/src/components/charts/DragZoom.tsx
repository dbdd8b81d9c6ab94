import { type PointerEvent, type ReactElement, useState } from 'react';
import { usePlotArea, useXAxisInverseScale } from 'recharts';
import type { Zoom } from './model';

/** Shorter drags are clicks. */
const LEAST_DRAG_PX = 8;

interface DragZoomProps {
  readonly onZoom: (zoom: Zoom | null) => void;
  /** A click: the x under it. */
  readonly onPick?: (x: number) => void;
}

/** Drag over the plot to zoom into a range of x. The range itself is owned by the page (and its URL). */
export function DragZoom({ onZoom, onPick }: DragZoomProps): ReactElement | null {
  const area = usePlotArea();
  const toValue = useXAxisInverseScale();
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  if (!area || !toValue) return null;

  const xOf = (event: PointerEvent<SVGRectElement>) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    return Math.min(Math.max(event.clientX - left, 0), area.width) + area.x;
  };
  const finish = () => {
    setDrag(null);
    if (!drag) return;
    if (Math.abs(drag[1] - drag[0]) < LEAST_DRAG_PX) {
      const at = Number(toValue(drag[1]));
      if (onPick && Number.isFinite(at)) onPick(at);
      return;
    }
    const [from, to] = [Math.min(...drag), Math.max(...drag)].map((pixel) => Number(toValue(pixel)));
    if (from !== undefined && to !== undefined && from < to) onZoom(roundForUrl(from, to));
  };
  return (
    <g className="chart-not-exported">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same zoom stands below the chart as a slider for the keyboard */}
      <rect
        {...area}
        fill="transparent"
        style={{ cursor: 'crosshair', touchAction: 'pan-y' }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([xOf(event), xOf(event)]);
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], xOf(event)])}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
        onDoubleClick={() => onZoom(null)}
      />
      {drag && (
        <rect
          x={Math.min(...drag)}
          y={area.y}
          width={Math.abs(drag[1] - drag[0])}
          height={area.height}
          className="chart-selection"
        />
      )}
    </g>
  );
}

/** To a thousandth of what is seen, so that the address stays short. */
function roundForUrl(from: number, to: number): Zoom {
  const step = 10 ** Math.floor(Math.log10((to - from) / 1000));
  const round = (value: number) => Number((Math.round(value / step) * step).toPrecision(14));
  return [round(from), round(to)];
}
