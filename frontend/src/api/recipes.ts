import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type RecipeItem = Schemas['RecipeItem'];
export type Recipe = Schemas['Recipe'];
export type RecipeSize = Schemas['RecipeSize'];
export type RecipeRef = Schemas['RecipeRef'];
export type SizeName = RecipeSize['size'];
export type RecipePublished = Schemas['RecipePublished'];
export type SourceSeries = Schemas['SourceSeries'];
/** Published figures laid onto a run: `match` binds what they stand for, `metric` is one of the run's. */
export type PublishedSeries = Schemas['PublishedSeries'];
export type RunPublished = Schemas['RunPublished'];

export const NOTHING_PUBLISHED: RunPublished = { series: [], normalise_to: null, source: null };

export const recipesQuery = queryOptions({
  queryKey: ['recipes'],
  queryFn: () => dataOf(client.GET('/api/v1/recipes')),
  staleTime: Number.POSITIVE_INFINITY,
});

export function recipeQuery(slug: string) {
  return queryOptions({
    queryKey: ['recipes', slug],
    queryFn: () => dataOf(client.GET('/api/v1/recipes/{slug}', { params: { path: { slug } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function recipePublishedQuery(slug: string) {
  return queryOptions({
    queryKey: ['recipes', slug, 'published'],
    queryFn: () => dataOf(client.GET('/api/v1/recipes/{slug}/published', { params: { path: { slug } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function runPublishedQuery(runId: string) {
  return queryOptions({
    queryKey: ['published', runId],
    queryFn: () =>
      dataOf(client.GET('/api/v1/runs/{run_id}/published', { params: { path: { run_id: runId } } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** What is run unless somebody asks for more: the quick size, where there is one. */
export function firstSize({ sizes }: RecipeItem, asked?: SizeName): RecipeSize | undefined {
  return sizes.find(({ size }) => size === asked) ?? sizes.find(({ size }) => size === 'quick') ?? sizes[0];
}
