import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  followRun,
  type PointEvent,
  type RunEvent,
  type SampleEvent,
  type TrialEvent,
} from '@/api/run-stream';
import { type Point, pointsQuery, type Run, runQuery, trialsQuery } from '@/api/runs';
import type { TelemetryNews } from '@/api/telemetry';
import { isTerminal } from '@/components/StatusChip';
import { addLiveSeconds, type LiveSeconds, liveSecondsKey } from './live-seconds';
import { addLiveTelemetry, type LiveTelemetry, liveTelemetryKey } from './live-telemetry';

/** Events that come in one burst (after a reconnect) make one drawing. */
const BATCH_MS = 50;

/** Writes what the stream tells into what the page shows; reads everything again when the stream was away. */
export function useRunStream(run: Run): 'open' | 'away' {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<'open' | 'away'>('open');
  const isOver = isTerminal(run.status);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream starts after the last event known when the page opened
  useEffect(() => {
    if (isOver) return;
    const seconds = batched((events: SampleEvent[]) => {
      queries.setQueryData<LiveSeconds>(liveSecondsKey(run.id), (known) => addLiveSeconds(known, events));
    });
    const telemetry = batched((news: TelemetryNews[]) => {
      queries.setQueryData<LiveTelemetry>(liveTelemetryKey(run.id), (known) => addLiveTelemetry(known, news));
    });
    const stop = followRun(run.id, run.last_event_seq, {
      onRun: (event) => applyRun(queries, event),
      onTrial: (event) => applyTrial(queries, run.id, event),
      onPoint: (event) => applyPoint(queries, run.id, event),
      onSample: seconds.add,
      onTelemetry: telemetry.add,
      onResumed: () => void queries.invalidateQueries({ queryKey: ['run', run.id] }),
      onConnection: setConnection,
    });
    return () => {
      stop();
      seconds.stop();
      telemetry.stop();
    };
  }, [run.id, isOver, queries]);
  return isOver ? 'open' : connection;
}

function batched<T>(flush: (items: T[]) => void): { add: (item: T) => void; stop: () => void } {
  let waiting: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const add = (item: T) => {
    waiting.push(item);
    timer ??= setTimeout(() => {
      timer = undefined;
      const items = waiting;
      waiting = [];
      flush(items);
    }, BATCH_MS);
  };
  return { add, stop: () => clearTimeout(timer) };
}

function applyRun(queries: QueryClient, event: RunEvent): void {
  queries.setQueryData(runQuery(event.id).queryKey, (run) => (run ? { ...run, ...event } : run));
  // Trials that end together by a cancel are told by this event alone.
  if (isTerminal(event.status)) void queries.invalidateQueries({ queryKey: ['run', event.id] });
}

function applyTrial(queries: QueryClient, runId: string, event: TrialEvent): void {
  const points = queries.getQueryData(pointsQuery(runId).queryKey);
  const parameters = points?.items.find(({ id }) => id === event.point_id)?.parameters ?? {};
  queries.setQueryData(
    runQuery(runId).queryKey,
    (run) => run && { ...run, current_trial: nextCurrent(run, event, parameters) },
  );
  queries.setQueryData(
    pointsQuery(runId).queryKey,
    (list) => list && { items: list.items.map((point) => withTrial(point, event)) },
  );
  queries.setQueryData(
    trialsQuery(runId).queryKey,
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          items: page.items.map((trial) => (trial.id === event.id ? { ...trial, ...event } : trial)),
        })),
      },
  );
}

function nextCurrent(run: Run, event: TrialEvent, parameters: Point['parameters']): Run['current_trial'] {
  const { id, point_id, ordinal, status, attempt } = event;
  if (status !== 'queued' && !isTerminal(status))
    return { id, point_id, ordinal, status, attempt, parameters };
  return run.current_trial?.id === id ? null : run.current_trial;
}

function withTrial(point: Point, { id, status, trust, attempt }: TrialEvent): Point {
  if (!point.trials.some((trial) => trial.id === id)) return point;
  const trials = point.trials.map((trial) =>
    trial.id === id ? { ...trial, status, trust, attempt } : trial,
  );
  return { ...point, trials };
}

function applyPoint(queries: QueryClient, runId: string, event: PointEvent): void {
  queries.setQueryData(
    pointsQuery(runId).queryKey,
    (list) => list && { items: list.items.map((point) => (point.id === event.id ? event : point)) },
  );
}
