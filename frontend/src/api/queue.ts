import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Queue = Schemas['Queue'];
export type QueueAgent = Schemas['QueueAgent'];
export type QueuedRun = Schemas['QueuedRun'];
export type QueuedTrial = Schemas['QueuedTrial'];
export type TimelineSlot = Schemas['TimelineSlot'];

const REFRESH_MS = 3000;

export const queueQuery = queryOptions({
  queryKey: ['queue'],
  queryFn: ({ signal }) => dataOf(client.GET('/api/v1/queue', { signal })),
  refetchInterval: REFRESH_MS,
  placeholderData: keepPreviousData,
});

export const queuedTrialsQuery = infiniteQueryOptions({
  queryKey: ['queue', 'trials'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      client.GET('/api/v1/queue/trials', {
        params: { query: { limit: 100, cursor: pageParam ?? undefined } },
        signal,
      }),
    ),
  getNextPageParam: (page) => page.next_cursor,
});

export type RunChange = Schemas['ChangeRun'];

export function changeRun(runId: string, body: RunChange): Promise<Schemas['Run']> {
  return dataOf(client.PATCH('/api/v1/runs/{run_id}', { params: { path: { run_id: runId } }, body }));
}

/** Right before or right after another run that waits; it takes over that run's priority. */
export function moveRun(
  runId: string,
  place: { before: string } | { after: string },
): Promise<Schemas['Run']> {
  return dataOf(
    client.POST('/api/v1/runs/{run_id}/move', { params: { path: { run_id: runId } }, body: place }),
  );
}

export function pauseRun(runId: string): Promise<Schemas['Run']> {
  return dataOf(client.POST('/api/v1/runs/{run_id}/pause', { params: { path: { run_id: runId } } }));
}

export function resumeRun(runId: string): Promise<Schemas['Run']> {
  return dataOf(client.POST('/api/v1/runs/{run_id}/resume', { params: { path: { run_id: runId } } }));
}
