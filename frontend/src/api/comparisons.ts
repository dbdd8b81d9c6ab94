import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Comparison = Schemas['Comparison'];
export type ComparisonCell = Schemas['Cell'];
export type ComparedSide = Schemas['ComparedSide'];
export type ComparisonDefinition = Schemas['ComparisonDefinition'];
export type SavedComparison = Schemas['SavedComparisonItem'];
export type ComparisonVerdict = ComparisonCell['verdict'];
export type Side = Schemas['Side'];
export type RunVerdict = Schemas['RunVerdict'];

export function comparisonQuery(definition: ComparisonDefinition) {
  return queryOptions({
    queryKey: ['comparisons', 'evaluate', definition],
    queryFn: ({ signal }) =>
      dataOf(client.POST('/api/v1/comparisons/evaluate', { body: definition, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export const savedComparisonsQuery = queryOptions({
  queryKey: ['comparisons', 'saved'],
  queryFn: () => dataOf(client.GET('/api/v1/comparisons', { params: { query: { limit: 200 } } })),
});

export function saveComparison(name: string, definition: ComparisonDefinition) {
  return dataOf(
    client.POST('/api/v1/comparisons', {
      params: { header: { 'idempotency-key': requestId() } },
      body: { name, definition },
    }),
  );
}

export async function deleteComparison(comparisonId: string): Promise<void> {
  await client.DELETE('/api/v1/comparisons/{comparison_id}', {
    params: { path: { comparison_id: comparisonId } },
  });
}

/** @param trials a point; null for as many as the open cells need */
export function queueTrials(definition: ComparisonDefinition, trials: number | null) {
  return dataOf(
    client.POST('/api/v1/comparisons/queue-trials', {
      params: { header: { 'idempotency-key': requestId() } },
      body: { definition, trials_per_point: trials },
    }),
  );
}

export function runVerdictQuery(runId: string, lastEventSeq: number) {
  return queryOptions({
    queryKey: ['run', runId, 'verdict', lastEventSeq],
    queryFn: () =>
      dataOf(client.GET('/api/v1/runs/{run_id}/verdict', { params: { path: { run_id: runId } } })),
    placeholderData: keepPreviousData,
  });
}
