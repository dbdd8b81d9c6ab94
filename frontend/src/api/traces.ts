/** Recorded traces: files of the team that workloads replay. */
import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Trace = Schemas['UploadedTrace'];

export const tracesQuery = queryOptions({
  queryKey: ['traces'],
  queryFn: () => dataOf(client.GET('/api/v1/traces', { params: { query: { limit: 200 } } })),
});

/** The team's one copy of the file, be it new or not. */
export function uploadTrace(file: File): Promise<Trace> {
  return dataOf(
    client.POST('/api/v1/traces', {
      params: { query: { name: file.name.slice(0, 200) || 'trace' } },
      body: file as unknown as string,
      bodySerializer: (body) => body,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
}
