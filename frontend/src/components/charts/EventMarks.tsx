import type { ReactElement } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import type { ChartMark } from './model';
import { rowsOf, widthOf } from './placed-words';

const ROW_PX = 14;
/** Labels take so many rows, so that neighbours do not cover each other. */
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
  const ordered = [...marks]
    .sort((a, b) => a.x - b.x)
    .flatMap((mark) => {
      const x = toPixel(mark.x);
      return x === undefined || x < area.x - 1 || x > area.x + area.width + 1 ? [] : [{ mark, x }];
    });
  const words = ordered.map(({ mark, x }) => wordOf(mark, x, x > area.x + area.width * 0.75));
  const rows = rowsOf(words, ROWS);
  return (
    <g>
      {ordered.map(({ mark, x }, index) => {
        const end = mark.until === undefined ? x : (toPixel(mark.until) ?? x);
        return (
          <EventMark
            key={mark.key}
            mark={mark}
            x={x}
            width={Math.min(end, area.x + area.width) - x}
            area={area}
            word={words[index]}
            row={rows[index] ?? null}
            isUnderNames={isUnderNames}
          />
        );
      })}
    </g>
  );
}

interface Word {
  readonly text: string;
  readonly anchor: 'start' | 'end';
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Near the right end of the plot it stands left of its line. */
function wordOf(mark: ChartMark, x: number, isLeft: boolean): Word {
  const text = shortened(mark.short ?? mark.label);
  const width = widthOf(text);
  if (isLeft) return { text, anchor: 'end', at: x - 5, from: x - 5 - width, to: x };
  const at = x + (mark.kind === 'flag' ? 12 : 5);
  return { text, anchor: 'start', at, from: x, to: at + width };
}

interface EventMarkProps {
  readonly mark: ChartMark;
  readonly x: number;
  /** Of what lasted. */
  readonly width: number;
  readonly area: { readonly y: number; readonly height: number };
  readonly word: Word | undefined;
  /** Null where no row has room: the line says its name when it is pointed at. */
  readonly row: number | null;
  readonly isUnderNames: boolean;
}

function EventMark({ mark, x, width, area, word, row, isUnderNames }: EventMarkProps): ReactElement {
  return (
    <g className="chart-event" data-kind={mark.kind} data-tone={mark.tone}>
      <title>{mark.label}</title>
      {width > 0 && (
        <rect
          className="chart-stretch"
          data-tone={mark.tone}
          x={x}
          y={area.y}
          width={width}
          height={area.height}
        />
      )}
      <line x1={x} x2={x} y1={area.y} y2={area.y + area.height} />
      {mark.kind === 'flag' && <path d={`M${x} ${area.y}h9l-3 4l3 4h-9z`} />}
      {word && row !== null && (
        <text x={word.at} y={area.y + 10 + (row + (isUnderNames ? 1 : 0)) * ROW_PX} textAnchor={word.anchor}>
          {word.text}
        </text>
      )}
    </g>
  );
}

const LONGEST_LABEL = 28;

function shortened(label: string): string {
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label;
}
