/** Ticks of an axis of instants, at round hours, days and months of the person's own zone. Pure. */
import type { AxisScale } from './scale';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [1, 5, 15, 30]
  .map((count) => count * MINUTE_MS)
  .concat([1, 3, 6, 12].map((count) => count * HOUR_MS))
  .concat([1, 2, 7, 14, 30, 60, 120, 365, 730, 1825].map((count) => count * DAY_MS));

/** @param wanted about how many ticks there is room for */
export function timeScale(
  values: readonly number[],
  zoom: readonly [number, number] | null,
  wanted = 6,
): AxisScale {
  const domain = zoom ? ([zoom[0], zoom[1]] as [number, number]) : padded(values);
  const span = domain[1] - domain[0];
  const step =
    STEPS_MS.find((candidate) => span / candidate <= wanted) ?? STEPS_MS[STEPS_MS.length - 1] ?? DAY_MS;
  return { domain, ticks: ticksWithin(domain, step) };
}

function padded(values: readonly number[]): [number, number] {
  const first = values.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY);
  const last = values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(first)) return [0, 1];
  const margin = (last - first) * 0.03 || HOUR_MS;
  return [first - margin, last + margin];
}

/** Every step from a local midnight, so that days begin at days also where clocks are changed. */
function ticksWithin([from, to]: readonly [number, number], stepMs: number): number[] {
  const ticks: number[] = [];
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  const days = Math.max(1, Math.round(stepMs / DAY_MS));
  for (let guard = 0; day.getTime() <= to && guard < 2000; guard += 1) {
    const next = new Date(day);
    next.setDate(next.getDate() + days);
    for (let at = day.getTime(); at < next.getTime(); at += Math.min(stepMs, DAY_MS * days)) {
      if (at >= from && at <= to) ticks.push(at);
    }
    day.setTime(next.getTime());
  }
  return ticks;
}

/** How an instant is written on an axis of this length. */
export function formatInstantTick(at: number, [from, to]: readonly [number, number]): string {
  const date = new Date(at);
  const span = to - from;
  if (span <= DAY_MS) return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (span <= 4 * DAY_MS) {
    return date.toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    });
  }
  const isLong = span > 400 * DAY_MS;
  return date.toLocaleDateString(
    'en-GB',
    isLong ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' },
  );
}

/** An instant in words, to the minute. */
export function formatInstant(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
