/** What happened in store and host, as marks on the time axis of a trial. Pure. */
import type { Sample } from '@/api/runs';
import type { TelemetryMark } from '@/api/telemetry';
import type { ChartMark } from '@/components/charts';
import { formatDuration } from '@/lib/format';

const BAD_KINDS = new Set([
  'out_of_memory',
  'store_died',
  'store_restarted',
  'fsync_stall',
  'eviction_began',
]);

const DEATHS = new Set(['store_killed', 'store_died']);

/** When the store ended, on the time axis. */
export function deathsOf(events: readonly TelemetryMark[], samples: readonly Sample[]): number[] {
  return events.filter(({ kind }) => DEATHS.has(kind)).map(({ at }) => secondsOf(at, samples));
}

/** What began and ended is one mark that lasts; an end without a beginning, one at its place. */
export function marksOf(events: readonly TelemetryMark[], samples: readonly Sample[]): ChartMark[] {
  const ordered = [...events].sort((a, b) => a.elapsed_s - b.elapsed_s);
  const ends = new Map(ordered.map((event) => [event, endOf(event, ordered)]));
  const paired = new Set(ends.values());
  return ordered
    .filter((event) => !paired.has(event))
    .map((event) => {
      const end = ends.get(event);
      const name = event.title.replace(/ (began|ended)$/, '');
      return {
        key: `${event.agent_id}:${event.seq}`,
        x: secondsOf(event.at, samples),
        until: end && secondsOf(end.at, samples),
        kind: 'change',
        label: end ? `${name}, ${formatDuration(end.elapsed_s - event.elapsed_s)}` : event.title,
        short: event.kind.endsWith('_ended') ? '' : name,
        tone: BAD_KINDS.has(event.kind) ? 'bad' : undefined,
      };
    });
}

/** Its own end, before the same begins again. */
function endOf(event: TelemetryMark, ordered: readonly TelemetryMark[]): TelemetryMark | undefined {
  if (!event.kind.endsWith('_began')) return undefined;
  const stem = event.kind.replace(/_began$/, '');
  const next = ordered
    .slice(ordered.indexOf(event) + 1)
    .find(({ kind, agent_id }) => agent_id === event.agent_id && kind.startsWith(`${stem}_`));
  return next?.kind === `${stem}_ended` ? next : undefined;
}

/** Seconds of an instant since the first sample's second began. */
export function secondsOf(at: string, samples: readonly Sample[]): number {
  const first = samples[0];
  const start = first ? Date.parse(first.at) - first.duration_s * 1000 : Date.parse(at);
  return Math.round((Date.parse(at) - start) / 10) / 100;
}
