import type { Schemas } from './client';
import type { TelemetryNews } from './telemetry';

export type RunEvent = Schemas['RunListItem'];
export type PointEvent = Schemas['Point'];
export type TrialEvent = Pick<
  Schemas['TrialItem'],
  'id' | 'point_id' | 'ordinal' | 'repetition' | 'status' | 'attempt' | 'trust' | 'error'
>;
export type SampleEvent = Schemas['Sample'] & { trial_id: string; point_id: string; attempt: number };

export interface RunListener {
  readonly onRun: (event: RunEvent) => void;
  readonly onTrial: (event: TrialEvent) => void;
  readonly onSample: (event: SampleEvent) => void;
  readonly onTelemetry?: (news: TelemetryNews) => void;
  readonly onPoint: (event: PointEvent) => void;
  /** The stream was away and is back, or it ended: what is shown should be read again. */
  readonly onResumed: () => void;
  readonly onConnection: (state: 'open' | 'away') => void;
}

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 5000;

/**
 * Follows a run without a gap: a stream that breaks is opened anew after the last event that was heard. The browser
 * would do so by itself, but only after seconds, and never after an error status.
 *
 * @param after the number of the last event that is already known
 * @returns stops following
 */
export function followRun(runId: string, after: number, listener: RunListener): () => void {
  let lastSeq = after;
  let delayMs = FIRST_DELAY_MS;
  let wasAway = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source: EventSource;

  const listen = <T>(kind: string, tell: (event: T) => void) =>
    source.addEventListener(kind, (message: MessageEvent<string>) => {
      lastSeq = Math.max(lastSeq, Number(message.lastEventId) || 0);
      tell(JSON.parse(message.data) as T);
    });
  const open = () => {
    source = new EventSource(`/api/v1/runs/${encodeURIComponent(runId)}/events?after=${lastSeq}`);
    listen('run', listener.onRun);
    listen('trial', listener.onTrial);
    listen('sample', listener.onSample);
    listen<TelemetryNews>('telemetry', (news) => listener.onTelemetry?.(news));
    listen('point', listener.onPoint);
    source.onopen = () => {
      delayMs = FIRST_DELAY_MS;
      listener.onConnection('open');
      if (wasAway) listener.onResumed();
      wasAway = false;
    };
    source.onerror = () => {
      source.close();
      wasAway = true;
      listener.onConnection('away');
      timer = setTimeout(open, delayMs);
      delayMs = Math.min(delayMs * 2, LAST_DELAY_MS);
      // The answer 204, "nothing left to tell", comes this way too: reading again shows whether the run has ended.
      listener.onResumed();
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
