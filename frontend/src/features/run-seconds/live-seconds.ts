/** The seconds of the trial under way, out of what was read and what the stream told. Pure. */
import type { SampleEvent } from '@/api/run-stream';
import type { Sample } from '@/api/runs';

export interface LiveSeconds {
  readonly trialId: string;
  readonly pointId: string;
  readonly attempt: number;
  readonly items: readonly Sample[];
}

export function liveSecondsKey(runId: string): readonly string[] {
  return ['live-seconds', runId];
}

/** A second of another trial, or of a later attempt, begins anew; one of an earlier attempt is stale. */
export function addLiveSeconds(
  known: LiveSeconds | undefined,
  events: readonly SampleEvent[],
): LiveSeconds | undefined {
  return events.reduce<LiveSeconds | undefined>((live, event) => {
    const isSameTrial = live?.trialId === event.trial_id;
    if (isSameTrial && event.attempt < live.attempt) return live;
    const isSameAttempt = isSameTrial && event.attempt === live.attempt;
    return {
      trialId: event.trial_id,
      pointId: event.point_id,
      attempt: event.attempt,
      items: mergeSeconds(isSameAttempt ? live.items : [], [event]),
    };
  }, known);
}

/** Every second once, in order: what is read and what is streamed overlap. */
export function mergeSeconds(first: readonly Sample[], second: readonly Sample[]): Sample[] {
  const bySeq = new Map<number, Sample>();
  for (const sample of [...first, ...second]) bySeq.set(sample.seq, sample);
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
