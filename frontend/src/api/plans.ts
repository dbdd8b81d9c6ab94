import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';
import type { RecipeRef } from './recipes';

export type Plan = Schemas['Plan'];
export type PlanDefinition = Schemas['PlanDefinition'];
export type Preview = Schemas['Preview'];
export type Finding = Schemas['Finding'];
export type WorkloadDefinition = Schemas['WorkloadDefinition'];
export type ResolvedPlan = Schemas['ResolvedPlan'];

export function previewQuery(body: Schemas['PreviewRequest']) {
  return queryOptions({
    queryKey: ['preview', body],
    queryFn: ({ signal }) => dataOf(client.POST('/api/v1/plans/preview', { body, signal })),
    retry: false,
    staleTime: 5000,
  });
}

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: () => dataOf(client.GET('/api/v1/plans', { params: { query: { limit: 200 } } })),
});

/** The newest version, or the one asked for. */
export function planQuery(planId: string, version?: number) {
  return queryOptions({
    queryKey: ['plans', planId, version ?? 'newest'],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/plans/{plan_id}', {
          params: { path: { plan_id: planId }, query: { version } },
        }),
      ),
  });
}

export function planListQuery(filter: { readonly q?: string; readonly archived?: boolean }) {
  return infiniteQueryOptions({
    queryKey: ['plans', 'list', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/api/v1/plans', {
          params: {
            query: { q: filter.q, is_archived: filter.archived, cursor: pageParam ?? undefined, limit: 50 },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
}

export function planVersionsQuery(planId: string) {
  return queryOptions({
    queryKey: ['plans', planId, 'versions'],
    queryFn: () =>
      dataOf(client.GET('/api/v1/plans/{plan_id}/versions', { params: { path: { plan_id: planId } } })),
  });
}

/** @param version the one that the change was made from: a newer one is not overwritten */
export function updatePlan(planId: string, version: number, definition: PlanDefinition): Promise<Plan> {
  return dataOf(
    client.PUT('/api/v1/plans/{plan_id}', {
      params: { path: { plan_id: planId } },
      body: { definition, version },
    }),
  );
}

export async function archivePlan(planId: string): Promise<void> {
  await client.DELETE('/api/v1/plans/{plan_id}', { params: { path: { plan_id: planId } } });
}

export function restorePlan(planId: string): Promise<Plan> {
  return dataOf(client.POST('/api/v1/plans/{plan_id}/restore', { params: { path: { plan_id: planId } } }));
}

export function savePlan(definition: PlanDefinition, recipe?: RecipeRef): Promise<Plan> {
  const header = { 'idempotency-key': requestId() };
  return dataOf(client.POST('/api/v1/plans', { params: { header }, body: { definition, recipe } }));
}

export const workloadsQuery = queryOptions({
  queryKey: ['workloads'],
  queryFn: () => dataOf(client.GET('/api/v1/workloads', { params: { query: { limit: 200 } } })),
});
