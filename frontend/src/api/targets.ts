import { queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Target = Schemas['Target'];
export type WriteTarget = Schemas['WriteTarget'];
export type StoreKind = Schemas['StoreKind'];
export type TargetCheck = Schemas['TargetCheck'];

export const targetsQuery = queryOptions({
  queryKey: ['targets'],
  queryFn: () => dataOf(client.GET('/api/v1/targets', { params: { query: { limit: 200 } } })),
});

export const storeKindsQuery = queryOptions({
  queryKey: ['store-kinds'],
  queryFn: () => dataOf(client.GET('/api/v1/store-kinds')),
  staleTime: Number.POSITIVE_INFINITY,
});

export function createTarget(body: WriteTarget): Promise<Target> {
  const header = { 'idempotency-key': requestId() };
  return dataOf(client.POST('/api/v1/targets', { params: { header }, body }));
}

export function updateTarget(targetId: string, body: WriteTarget): Promise<Target> {
  return dataOf(
    client.PUT('/api/v1/targets/{target_id}', { params: { path: { target_id: targetId } }, body }),
  );
}

export async function archiveTarget(targetId: string): Promise<void> {
  await client.DELETE('/api/v1/targets/{target_id}', { params: { path: { target_id: targetId } } });
}

export function startCheck(targetId: string): Promise<TargetCheck> {
  return dataOf(
    client.POST('/api/v1/targets/{target_id}/checks', {
      params: { path: { target_id: targetId } },
      body: {},
    }),
  );
}

/** Asks every second until the agent has answered. */
export function checkQuery(targetId: string, checkId: string) {
  return queryOptions({
    queryKey: ['targets', targetId, 'checks', checkId],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/targets/{target_id}/checks/{check_id}', {
          params: { path: { target_id: targetId, check_id: checkId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : 1000),
  });
}
