import { queryOptions } from '@tanstack/react-query';
import { client, dataOf } from '@/api/client';

export const savedComparisonsQuery = queryOptions({
  queryKey: ['comparisons', 'saved'],
  queryFn: () => dataOf(client.GET('/api/v1/comparisons', { params: { query: { limit: 200 } } })),
});

export function savedComparisonQuery(comparisonId: string) {
  return queryOptions({
    queryKey: ['comparisons', comparisonId],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/comparisons/{comparison_id}', {
          params: { path: { comparison_id: comparisonId } },
        }),
      ),
  });
}
