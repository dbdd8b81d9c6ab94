import type { QueuedRun } from '@/api/queue';

/** Only what no agent has begun stands in an order that people may change. */
export function canMove({ run }: QueuedRun): boolean {
  return run.status === 'queued';
}

/** Where a run goes that is dropped on another one: behind it on the way down, before it on the way up. */
export function dropPlace(
  runs: readonly QueuedRun[],
  movedId: string,
  overId: string,
): { before: string } | { after: string } | null {
  const from = runs.findIndex(({ run }) => run.id === movedId);
  const to = runs.findIndex(({ run }) => run.id === overId);
  const over = runs[to];
  if (from < 0 || !over || from === to || !canMove(over)) return null;
  return from < to ? { after: overId } : { before: overId };
}

/** The order as it will be, shown before the api has answered. */
export function reordered(runs: readonly QueuedRun[], movedId: string, overId: string): QueuedRun[] {
  const from = runs.findIndex(({ run }) => run.id === movedId);
  const to = runs.findIndex(({ run }) => run.id === overId);
  const moved = runs[from];
  if (!moved || to < 0) return [...runs];
  const others = runs.filter((_, index) => index !== from);
  return [...others.slice(0, to), moved, ...others.slice(to)].map((item, index) => ({
    ...item,
    place: index + 1,
  }));
}
