import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Alert = Schemas['Alert'];
export type AlertDetail = Schemas['AlertDetail'];
export type AlertState = Alert['state'];
export type PatchAlert = Schemas['PatchAlert'];

export interface AlertFilter {
  /** Any of these; all when empty. */
  readonly states?: readonly AlertState[];
  readonly owner?: string;
  readonly seriesId?: string;
  /** Without those that are snoozed. */
  readonly isAwake?: boolean;
}

/** Somebody still has to do something. */
export const OPEN_STATES: readonly AlertState[] = ['suspected', 'confirmed', 'acknowledged'];
const REFRESH_MS = 30_000;

export function alertsQuery(filter: AlertFilter, limit = 50) {
  return infiniteQueryOptions({
    queryKey: ['alerts', 'list', filter, limit],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/api/v1/alerts', {
          params: {
            query: {
              state: filter.states ? [...filter.states] : undefined,
              owner: filter.owner,
              series_id: filter.seriesId,
              snoozed: filter.isAwake ? false : undefined,
              cursor: pageParam ?? undefined,
              limit,
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export function alertQuery(alertId: string) {
  return queryOptions({
    queryKey: ['alerts', alertId],
    queryFn: () =>
      dataOf(client.GET('/api/v1/alerts/{alert_id}', { params: { path: { alert_id: alertId } } })),
  });
}

export function patchAlert(alertId: string, body: PatchAlert): Promise<AlertDetail> {
  return dataOf(client.PATCH('/api/v1/alerts/{alert_id}', { params: { path: { alert_id: alertId } }, body }));
}

export async function commentAlert(alertId: string, text: string): Promise<void> {
  await client.POST('/api/v1/alerts/{alert_id}/comments', {
    params: { path: { alert_id: alertId }, header: { 'idempotency-key': requestId() } },
    body: { text },
  });
}

/** A run of both sides in a new session, interleaved where that can be. */
export function confirmAlert(alertId: string): Promise<Schemas['Run']> {
  return dataOf(
    client.POST('/api/v1/alerts/{alert_id}/confirm', {
      params: { path: { alert_id: alertId }, header: { 'idempotency-key': requestId() } },
    }),
  );
}
