import { describe, expect, it } from 'vitest';
import type { QueueAgent, QueuedRun } from '@/api/queue';
import { dropPlace, reordered } from './move';
import { placeOf, shareOf, spanOf, ticksOf } from './timeline-scale';

function waiting(id: string, status = 'queued'): QueuedRun {
  return { place: 0, run: { id, name: id, status } } as QueuedRun;
}

describe('moving a run', () => {
  const runs = ['a', 'b', 'c'].map((id) => waiting(id));

  it('goes behind the one it is dropped on downwards, before it upwards', () => {
    expect(dropPlace(runs, 'a', 'c')).toEqual({ after: 'c' });
    expect(dropPlace(runs, 'c', 'b')).toEqual({ before: 'b' });
  });

  it('stays when it is dropped on itself, on nothing, or on a run that has begun', () => {
    expect(dropPlace(runs, 'a', 'a')).toBeNull();
    expect(dropPlace(runs, 'a', '')).toBeNull();
    expect(dropPlace([waiting('x', 'running'), ...runs], 'a', 'x')).toBeNull();
  });

  it('shows the new order and places at once', () => {
    const names = (moved: string, over: string) =>
      reordered(runs, moved, over).map(({ place, run }) => `${place}${run.id}`);
    expect(names('a', 'c')).toEqual(['1b', '2c', '3a']);
    expect(names('c', 'a')).toEqual(['1c', '2a', '3b']);
    expect(names('x', 'a')).toEqual(['0a', '0b', '0c']);
  });
});

describe('the timeline', () => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
  const slot = (from: number, to: number) => ({ starts_at: at(from), ends_at: at(to) });
  const agent = (recent: object[], current: object | null, planned: object[]) =>
    ({ recent, current, planned }) as unknown as QueueAgent;

  it('spans what ran and what is planned, the past half of it at most', () => {
    const span = spanOf([agent([slot(-600, -590)], null, [slot(0, 60)])], 0);
    expect(span).toEqual({ fromMs: -60 * 60_000, toMs: 60 * 60_000 });
    expect(spanOf([], 0).toMs).toBeGreaterThan(0);
    expect(spanOf([agent([], null, [slot(0, 99_999)])], 0).toMs).toBe(24 * 3_600_000);
  });

  it('places slots as shares, keeps short ones visible and leaves out what lies outside', () => {
    const span = { fromMs: 0, toMs: 100 * 60_000 };
    expect(placeOf(slot(50, 75), span)).toEqual({ left: 0.5, width: 0.25 });
    expect(placeOf(slot(-50, 50), span)).toEqual({ left: 0, width: 0.5 });
    expect(placeOf(slot(10, 10), span)?.width).toBeGreaterThan(0);
    expect(placeOf(slot(-9, -1), span)).toBeNull();
    expect(shareOf(200 * 60_000, span)).toBe(1);
  });

  it('has round ticks, seven at most', () => {
    for (const minutes of [11, 60, 500, 1440, 2880]) {
      const ticks = ticksOf({ fromMs: 61_000, toMs: 61_000 + minutes * 60_000 });
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(8);
      expect(ticks.every((tick) => tick % 60_000 === 0)).toBe(true);
    }
  });
});
