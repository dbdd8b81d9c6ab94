/** Telemetry of the trial under way, out of what was read and what the stream told. Pure. */
import type { CounterName, TelemetryItem, TelemetryMark, TelemetryNews } from '@/api/telemetry';

export interface LiveTelemetry {
  readonly trialId: string;
  readonly attempt: number;
  readonly items: readonly TelemetryItem[];
  readonly events: readonly TelemetryMark[];
  readonly names: readonly CounterName[];
}

type Seen = Pick<LiveTelemetry, 'items' | 'events' | 'names'>;

export function liveTelemetryKey(runId: string): readonly string[] {
  return ['live-telemetry', runId];
}

const NOTHING: Seen = { items: [], events: [], names: [] };

/** News of another trial, or of a later attempt, begin anew; those of an earlier attempt are stale. */
export function addLiveTelemetry(
  known: LiveTelemetry | undefined,
  news: readonly TelemetryNews[],
): LiveTelemetry | undefined {
  return news.reduce<LiveTelemetry | undefined>((live, one) => {
    const isSameTrial = live?.trialId === one.trial_id;
    if (isSameTrial && one.attempt < live.attempt) return live;
    const before = isSameTrial && one.attempt === live.attempt ? live : NOTHING;
    return { trialId: one.trial_id, attempt: one.attempt, ...mergeTelemetry(before, one) };
  }, known);
}

/** Every record once, in order: what is read and what is streamed overlap. */
export function mergeTelemetry(first: Seen, second: Seen): Seen {
  return {
    items: once([...first.items, ...second.items]),
    events: once([...first.events, ...second.events]),
    names: [...new Map([...first.names, ...second.names].map((name) => [name.name, name])).values()],
  };
}

function once<T extends { agent_id: string; seq: number; at: string }>(records: readonly T[]): T[] {
  const byNumber = new Map(records.map((record) => [`${record.agent_id}:${record.seq}`, record]));
  return [...byNumber.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.seq - b.seq);
}
