import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Series = Schemas['Series'];
export type SeriesLine = Schemas['SeriesLine'];
export type SeriesValue = Schemas['SeriesValue'];
export type SeriesValues = Schemas['SeriesValues'];
export type ChangePoint = Schemas['ChangePoint'];
export type Annotation = Schemas['Annotation'];
export type Facet = Schemas['Facet'];
export type Neighbours = Schemas['Neighbours'];
export type WriteAnnotation = Schemas['WriteAnnotation'];

export interface SeriesFilter {
  readonly q?: string;
  /** `name:value`. */
  readonly labels?: readonly string[];
  /** What the last change may be of. */
  readonly metric?: string;
  readonly operation?: string;
}

const SERIES_PAGE = 60;

export function seriesQuery(filter: SeriesFilter) {
  return infiniteQueryOptions({
    queryKey: ['series', 'list', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/api/v1/series', {
          params: {
            query: {
              q: filter.q,
              label: filter.labels ? [...filter.labels] : undefined,
              metric: filter.metric,
              operation: filter.operation,
              cursor: pageParam ?? undefined,
              limit: SERIES_PAGE,
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
}

export const facetsQuery = queryOptions({
  queryKey: ['series', 'facets'],
  queryFn: () => dataOf(client.GET('/api/v1/series/facets')),
  staleTime: 30_000,
});

export interface ValuesQuestion {
  readonly seriesIds: readonly string[];
  readonly metric: string;
  readonly operation: string;
  /** Back from now; everything when left out. */
  readonly days?: number;
  readonly maxPoints: number;
}

const DAY_MS = 86_400_000;

export function valuesQuery(question: ValuesQuestion) {
  const { seriesIds, metric, operation, days, maxPoints } = question;
  return queryOptions({
    queryKey: ['series', 'values', question],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/api/v1/series/values', {
          params: {
            query: {
              series_id: [...seriesIds],
              metric,
              operation,
              from: days === undefined ? undefined : new Date(Date.now() - days * DAY_MS).toISOString(),
              max_points: maxPoints,
            },
          },
          signal,
        }),
      ),
    staleTime: 15_000,
  });
}

export function neighboursQuery(seriesId: string, pointId: string) {
  return queryOptions({
    queryKey: ['series', seriesId, 'neighbours', pointId],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/series/{series_id}/neighbours', {
          params: { path: { series_id: seriesId }, query: { point_id: pointId } },
        }),
      ),
  });
}

export function oneSeriesQuery(seriesId: string) {
  return queryOptions({
    queryKey: ['series', seriesId],
    queryFn: () =>
      dataOf(client.GET('/api/v1/series/{series_id}', { params: { path: { series_id: seriesId } } })),
  });
}

export function excludePoint(
  seriesId: string,
  body: Schemas['WriteExclusion'],
): Promise<Schemas['Exclusion']> {
  return dataOf(
    client.POST('/api/v1/series/{series_id}/exclusions', {
      params: { path: { series_id: seriesId }, header: { 'idempotency-key': requestId() } },
      body,
    }),
  );
}

export async function undoExclusion(seriesId: string, exclusionId: string): Promise<void> {
  const path = { series_id: seriesId, exclusion_id: exclusionId };
  await client.DELETE('/api/v1/series/{series_id}/exclusions/{exclusion_id}', { params: { path } });
}

export function createAnnotation(body: WriteAnnotation): Promise<Annotation> {
  return dataOf(
    client.POST('/api/v1/annotations', { params: { header: { 'idempotency-key': requestId() } }, body }),
  );
}

export function changeAnnotation(annotationId: string, body: WriteAnnotation): Promise<Annotation> {
  return dataOf(
    client.PUT('/api/v1/annotations/{annotation_id}', {
      params: { path: { annotation_id: annotationId } },
      body,
    }),
  );
}

export async function deleteAnnotation(annotationId: string): Promise<void> {
  await client.DELETE('/api/v1/annotations/{annotation_id}', {
    params: { path: { annotation_id: annotationId } },
  });
}
