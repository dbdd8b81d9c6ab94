import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Run = Schemas['Run'];
export type RunListItem = Schemas['RunListItem'];
export type RunStatus = Schemas['Status'];
export type Point = Schemas['Point'];
export type PointOperation = Schemas['PointOperation'];
export type TrialItem = Schemas['TrialItem'];
export type Trial = Schemas['Trial'];
export type Sample = Schemas['Sample'];
export type SampleList = Schemas['SampleList'];
export type SampleOperation = Schemas['SampleOperation'];
export type Quantiles = SampleOperation['response_time_ns'];

export interface RunFilter {
  readonly q?: string;
  readonly status?: RunStatus;
  readonly mine?: boolean;
  /** The slug of the recipe that it began as. */
  readonly recipe?: string;
}

const RUNS_REFRESH_MS = 2000;

export function runsQuery(filter: RunFilter, limit = 50) {
  return infiniteQueryOptions({
    queryKey: ['runs', filter, limit],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/api/v1/runs', {
          params: {
            query: {
              q: filter.q,
              status: filter.status ? [filter.status] : undefined,
              created_by: filter.mine ? 'me' : undefined,
              recipe: filter.recipe,
              cursor: pageParam ?? undefined,
              limit,
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: RUNS_REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId],
    queryFn: () => dataOf(client.GET('/api/v1/runs/{run_id}', { params: { path: { run_id: runId } } })),
  });
}

export function pointsQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'points'],
    queryFn: () =>
      dataOf(client.GET('/api/v1/runs/{run_id}/points', { params: { path: { run_id: runId } } })),
  });
}

const TRIALS_PAGE = 200;

export function trialsQuery(runId: string) {
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'trials'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      dataOf(
        client.GET('/api/v1/runs/{run_id}/trials', {
          params: { path: { run_id: runId }, query: { limit: TRIALS_PAGE, cursor: pageParam ?? undefined } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
}

export function trialQuery(trialId: string) {
  return queryOptions({
    queryKey: ['trial', trialId],
    queryFn: () =>
      dataOf(client.GET('/api/v1/trials/{trial_id}', { params: { path: { trial_id: trialId } } })),
  });
}

/** Charts stay smooth up to here; the api keeps each bucket's extremes. */
const MAX_POINTS = 2000;

export function samplesQuery(trialId: string) {
  return queryOptions({
    queryKey: ['trial', trialId, 'samples'],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/trials/{trial_id}/samples', {
          params: { path: { trial_id: trialId }, query: { max_points: MAX_POINTS } },
        }),
      ),
  });
}

/** @param requestId the same for a repeated press of the same button, so that one run comes of it */
export function submitRun(body: Schemas['RunSubmit'], requestId: string): Promise<Run> {
  return dataOf(client.POST('/api/v1/runs', { params: { header: { 'idempotency-key': requestId } }, body }));
}

export function cancelRun(runId: string): Promise<Run> {
  return dataOf(client.POST('/api/v1/runs/{run_id}/cancel', { params: { path: { run_id: runId } } }));
}

/** @param reason what others read when they wonder why */
export function decideOnTrial(trialId: string, kind: 'include' | 'exclude', reason: string): Promise<Trial> {
  return dataOf(
    client.POST('/api/v1/trials/{trial_id}/decisions', {
      params: { path: { trial_id: trialId }, header: { 'idempotency-key': requestId() } },
      body: { kind, reason },
    }),
  );
}

export function undoDecision(trialId: string, decisionId: string): Promise<Trial> {
  return dataOf(
    client.DELETE('/api/v1/trials/{trial_id}/decisions/{decision_id}', {
      params: { path: { trial_id: trialId, decision_id: decisionId } },
    }),
  );
}
