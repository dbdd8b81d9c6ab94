import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type ShareItem = Schemas['ShareItem'];
export type CreatedShare = Schemas['CreatedShare'];
export type CreateShare =
  | Schemas['ShareRun']
  | Schemas['ShareComparison']
  | Schemas['ShareTrend']
  | Schemas['ShareDashboard'];
export type SharedView = Schemas['SharedView'];

export function sharesQuery(kind: ShareItem['kind'], subjectId?: string) {
  return queryOptions({
    queryKey: ['shares', kind, subjectId ?? null],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/shares', { params: { query: { kind, subject_id: subjectId, limit: 200 } } }),
      ),
  });
}

export function createShare(body: CreateShare): Promise<CreatedShare> {
  return dataOf(client.POST('/api/v1/shares', { body }));
}

export async function revokeShare(shareId: string): Promise<void> {
  await client.DELETE('/api/v1/shares/{share_id}', { params: { path: { share_id: shareId } } });
}

/** What the link shows. Every read counts as one view, so it is read once. */
export function linkQuery(token: string) {
  return queryOptions({
    queryKey: ['link', token],
    queryFn: () => dataOf(client.GET('/api/v1/shared/{token}', { params: { path: { token } } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export async function unlockLink(token: string, password: string): Promise<void> {
  await client.POST('/api/v1/shared/{token}/unlock', { params: { path: { token } }, body: { password } });
}
