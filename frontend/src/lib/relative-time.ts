const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const STEPS: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 min. ago", "in 2 hr.", "just now" (under 10 s either way). */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (step) return FORMAT.format(Math.trunc(seconds / step[1]), step[0]);
  return Math.abs(seconds) < 10 ? 'just now' : FORMAT.format(Math.trunc(seconds), 'second');
}

/** The exact time in the person's own zone, with the zone named. */
export function exactTime(at: Date): string {
  return at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
}

/** Hours and minutes; the day too when it is not today. */
export function clockTime(at: Date, now: Date): string {
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString(
    'en-GB',
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  );
}
