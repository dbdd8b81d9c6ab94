/** Where a slot lies on the timeline, as shares of its width. */
import type { QueueAgent, TimelineSlot } from '@/api/queue';

const HOUR_MS = 3_600_000;
const LEAST_SPAN_MS = 10 * 60_000;
const MOST_AHEAD_MS = 24 * HOUR_MS;
/** Even a run of a second stays wide enough to be seen and pressed. */
const LEAST_WIDTH = 0.006;

export interface TimelineSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** From the oldest run shown to the last one planned, at most a day ahead, with now a quarter in when little ran. */
export function spanOf(agents: readonly QueueAgent[], nowMs: number): TimelineSpan {
  const slots = agents.flatMap(({ recent, current, planned }) => [
    ...recent,
    ...(current ? [current] : []),
    ...planned,
  ]);
  const starts = slots.map(({ starts_at }) => Date.parse(starts_at));
  const ends = slots.map(({ ends_at }) => Date.parse(ends_at));
  const toMs = Math.min(Math.max(nowMs + LEAST_SPAN_MS, ...ends), nowMs + MOST_AHEAD_MS);
  const oldest = Math.min(nowMs - LEAST_SPAN_MS / 3, ...starts);
  // What lies ahead is the question: the past takes half of the width at most.
  return { fromMs: Math.max(oldest, nowMs - (toMs - nowMs)), toMs };
}

export function shareOf(atMs: number, { fromMs, toMs }: TimelineSpan): number {
  return Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
}

/** Null when the slot lies outside of the span. */
export function placeOf(
  { starts_at, ends_at }: Pick<TimelineSlot, 'starts_at' | 'ends_at'>,
  span: TimelineSpan,
): { readonly left: number; readonly width: number } | null {
  const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (to < span.fromMs || from > span.toMs) return null;
  const left = Math.min(shareOf(from, span), 1 - LEAST_WIDTH);
  return { left, width: Math.max(LEAST_WIDTH, shareOf(to, span) - left) };
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * 60_000);
const MOST_TICKS = 7;

/** Round times on the wall clock, seven at most. */
export function ticksOf({ fromMs, toMs }: TimelineSpan): number[] {
  const stepMs = STEPS_MS.find((step) => (toMs - fromMs) / step <= MOST_TICKS) ?? 24 * HOUR_MS;
  const offsetMs = new Date(fromMs).getTimezoneOffset() * 60_000;
  const first = Math.ceil((fromMs - offsetMs) / stepMs) * stepMs + offsetMs;
  const ticks: number[] = [];
  for (let at = first; at <= toMs; at += stepMs) ticks.push(at);
  return ticks;
}
