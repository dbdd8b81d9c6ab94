import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import type { ChartMark } from './model';

const ROW_PX = 14;
/** Labels take turns in so many rows, so that neighbours do not cover each other. */
const ROWS = 3;

interface EventMarksProps {
  readonly marks: readonly ChartMark[];
  /** The first row is taken: a phase has its name there. */
  readonly isUnderNames: boolean;
}

/** Change points as vertical lines with their change, what lasted as a stretch, annotations as flags. */
export function EventMarks({ marks, isUnderNames }: EventMarksProps): ReactElement | null {
  const area = usePlotArea();
  const toPixel = useXAxisScale();
  if (!area || !toPixel) return null;
  const ordered = [...marks].sort((a, b) => a.x - b.x);
  return (
    <g>
      {ordered.map((mark, index) => {
        const x = toPixel(mark.x);
        if (x === undefined || x < area.x - 1 || x > area.x + area.width + 1) return null;
        const isRight = x > area.x + area.width * 0.75;
        const gap = mark.kind === 'flag' ? 12 : 5;
        const end = mark.until === undefined ? undefined : toPixel(mark.until);
        const right = end === undefined ? x : Math.min(end, area.x + area.width);
        return (
          <g key={mark.key} className="chart-event" data-kind={mark.kind} data-tone={mark.tone}>
            <title>{mark.label}</title>
            {right > x && (
              <rect
                className="chart-stretch"
                data-tone={mark.tone}
                x={x}
                y={area.y}
                width={right - x}
                height={area.height}
              />
            )}
            <line x1={x} x2={x} y1={area.y} y2={area.y + area.height} />
            {mark.kind === 'flag' && <path d={`M${x} ${area.y}h9l-3 4l3 4h-9z`} />}
            <text
              x={isRight ? x - 5 : x + gap}
              y={area.y + 10 + ((index % ROWS) + (isUnderNames ? 1 : 0)) * ROW_PX}
              textAnchor={isRight ? 'end' : 'start'}
            >
              {shortened(mark.short ?? mark.label)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

const LONGEST_LABEL = 28;

function shortened(label: string): string {
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label;
}
