import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

type PlanDefinition = Schemas['PlanDefinition'];

/** Where figures were published, and by whom. */
export interface Source {
  readonly title: string;
  readonly author: string | null;
  readonly year: number | null;
  readonly note: string | null;
}

export type SizeName = 'full' | 'quick';

export interface RecipeSize {
  readonly size: SizeName;
  readonly estimated_s: number;
  readonly trial_count: number;
  readonly definition: PlanDefinition;
}

export interface RecipeItem {
  readonly slug: string;
  readonly title: string;
  readonly question: string;
  readonly summary: string;
  /** Done before by somebody who published it. */
  readonly study: boolean;
  readonly sizes: readonly RecipeSize[];
  readonly place: number;
}

export interface Recipe extends RecipeItem {
  readonly method: readonly string[];
  readonly differences: readonly { readonly what: string; readonly then: string; readonly now: string }[];
  readonly source: Source | null;
  readonly published: { readonly count: number };
}

export interface PublishedPoint {
  /** Null where the source gives one figure without an axis. */
  readonly x: number | null;
  readonly value: number;
  readonly note: string | null;
}

/** Figures as the source prints them. */
export interface SourceSeries {
  readonly scenario: string;
  readonly system: string;
  readonly client: string | null;
  readonly axis: string | null;
  readonly metric: string;
  readonly unit: string;
  readonly points: readonly PublishedPoint[];
}

export interface RecipePublished {
  readonly series: readonly SourceSeries[];
  readonly source: Source | null;
}

/** Published figures laid onto a run: `match` binds what they stand for, `metric` is one of the run's. */
export interface PublishedSeries {
  readonly label: string;
  readonly system: string;
  readonly client: string | null;
  readonly match: Readonly<Record<string, string | number>>;
  readonly axis: string | null;
  readonly metric: string;
  readonly unit: string;
  readonly points: readonly PublishedPoint[];
}

export interface RunPublished {
  readonly series: readonly PublishedSeries[];
  readonly normalise_to: Readonly<Record<string, string | number>> | null;
  readonly source: Source | null;
}

export const NOTHING_PUBLISHED: RunPublished = { series: [], normalise_to: null, source: null };

type Get<T> = (path: string, init: { params: { path: Record<string, string> } }) => Promise<{ data?: T }>;

function read<T>(path: string, ids: Record<string, string>): Promise<T> {
  return dataOf((client.GET as unknown as Get<T>)(path, { params: { path: ids } }));
}

export function recipeQuery(slug: string) {
  return queryOptions({
    queryKey: ['recipes', slug],
    queryFn: () => read<Recipe>('/api/v1/recipes/{slug}', { slug }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function recipePublishedQuery(slug: string) {
  return queryOptions({
    queryKey: ['recipes', slug, 'published'],
    queryFn: () => read<RecipePublished>('/api/v1/recipes/{slug}/published', { slug }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function runPublishedQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'published'],
    queryFn: () => read<RunPublished>('/api/v1/runs/{run_id}/published', { run_id: runId }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
