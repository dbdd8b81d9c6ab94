import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Me = Schemas['Me'];
export type ApiToken = Schemas['ApiTokenItem'];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => dataOf(client.GET('/api/v1/me')),
  staleTime: 60_000,
  retry: false,
});

export function signIn(body: Schemas['SignIn']): Promise<Me> {
  return dataOf(client.POST('/api/v1/session', { body }));
}

export async function signOut(): Promise<void> {
  await client.DELETE('/api/v1/session');
}

export const tokensQuery = (kind: ApiToken['kind']) =>
  queryOptions({
    queryKey: ['tokens', kind],
    queryFn: () => dataOf(client.GET('/api/v1/tokens', { params: { query: { limit: 200, kind } } })),
  });

export function createToken(body: Schemas['CreateApiToken']): Promise<Schemas['CreatedApiToken']> {
  return dataOf(client.POST('/api/v1/tokens', { body }));
}

export async function revokeToken(tokenId: string): Promise<void> {
  await client.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id: tokenId } } });
}
