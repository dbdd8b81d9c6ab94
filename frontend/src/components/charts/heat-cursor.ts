import { type KeyboardEvent, useState } from 'react';
import { formatCount, formatNs } from '@/lib/format';
import type { HeatCells } from './HeatChart';
import { formatQuantity } from './quantity';

export interface HeatCell {
  readonly from: number;
  readonly to: number;
  readonly bottom: number;
  readonly top: number;
  readonly count: number;
  readonly total: number;
}

const STEPS: Readonly<Record<string, readonly [column: number, row: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** A cell that the arrow keys move; it begins at the fullest of the first column. Escape leaves. */
export function useHeatCursor(cells: HeatCells) {
  const [place, setPlace] = useState<readonly [column: number, row: number] | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Escape') setPlace(null);
    if (!step || cells.columns.length === 0) return;
    event.preventDefault();
    setPlace(place ? moved(place, step, cells) : [0, fullestRow(cells, 0)]);
  };
  return { cell: place && cellAt(cells, place), onKeyDown };
}

function moved(
  [column, row]: readonly [number, number],
  [right, up]: readonly [number, number],
  { columns, edges }: HeatCells,
): [number, number] {
  return [
    Math.min(Math.max(0, column + right), columns.length - 1),
    Math.min(Math.max(0, row + up), edges.length - 2),
  ];
}

function fullestRow({ columns }: HeatCells, column: number): number {
  const counts = columns[column]?.counts ?? [];
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function cellAt({ columns, edges }: HeatCells, [column, row]: readonly [number, number]): HeatCell | null {
  const at = columns[column];
  const [bottom, top] = [edges[row], edges[row + 1]];
  if (!at || bottom === undefined || top === undefined) return null;
  const total = at.counts.reduce((sum, count) => sum + count, 0);
  return { from: at.from, to: at.to, bottom, top, count: at.counts[row] ?? 0, total };
}

export function readingOf({ from, to, bottom, top, count, total }: HeatCell): string {
  const when = `${formatQuantity(from, 'seconds')} to ${formatQuantity(to, 'seconds')}`;
  return `${when}, ${formatNs(bottom)} to ${formatNs(top)}: ${formatCount(count)} of ${formatCount(total)} answers`;
}
