import { queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type PlanDefinition = Schemas['PlanDefinition'];
export type Preview = Schemas['Preview'];
export type Finding = Schemas['Finding'];
export type Recipe = Schemas['Recipe'];
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

export const recipesQuery = queryOptions({
  queryKey: ['recipes'],
  queryFn: () => dataOf(client.GET('/api/v1/recipes')),
  staleTime: Number.POSITIVE_INFINITY,
});

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: () => dataOf(client.GET('/api/v1/plans', { params: { query: { limit: 200 } } })),
});

export function planQuery(planId: string) {
  return queryOptions({
    queryKey: ['plans', planId],
    queryFn: () => dataOf(client.GET('/api/v1/plans/{plan_id}', { params: { path: { plan_id: planId } } })),
  });
}

export function updatePlan(planId: string, definition: PlanDefinition): Promise<Schemas['Plan']> {
  return dataOf(
    client.PUT('/api/v1/plans/{plan_id}', { params: { path: { plan_id: planId } }, body: { definition } }),
  );
}

export function savePlan(definition: PlanDefinition): Promise<Schemas['Plan']> {
  const header = { 'idempotency-key': requestId() };
  return dataOf(client.POST('/api/v1/plans', { params: { header }, body: { definition } }));
}

export const workloadsQuery = queryOptions({
  queryKey: ['workloads'],
  queryFn: () => dataOf(client.GET('/api/v1/workloads', { params: { query: { limit: 200 } } })),
});
