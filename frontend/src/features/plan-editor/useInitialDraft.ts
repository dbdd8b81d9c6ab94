import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { planQuery } from '@/api/plans';
import { firstSize, recipesQuery } from '@/api/recipes';
import { runQuery } from '@/api/runs';
import { BLANK_DEFINITION, type Draft, definitionOfRun, draftOf, draftOfPlan } from './draft';
import { type DraftOrigin, keptDraft } from './draft-storage';

export type InitialDraft =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown; readonly retry: () => void }
  | { readonly state: 'ready'; readonly draft: Draft };

/** The plan to begin with: a recipe's, a run's, a saved one, what was typed before in this tab, or a blank one. */
export function useInitialDraft({ recipe, size, from, plan, version }: DraftOrigin): InitialDraft {
  const recipes = useQuery({ ...recipesQuery, enabled: recipe !== undefined });
  const run = useQuery({ ...runQuery(from ?? ''), enabled: from !== undefined });
  const saved = useQuery({ ...planQuery(plan ?? '', version), enabled: plan !== undefined });
  const newest = useQuery({ ...planQuery(plan ?? ''), enabled: plan !== undefined });
  const asked = from !== undefined ? run : plan !== undefined ? saved : recipe !== undefined ? recipes : null;

  const draft = useMemo(() => {
    const kept = keptDraft({ recipe, size, from, plan, version });
    if (kept) return kept;
    if (from !== undefined) return run.data ? draftOf(definitionOfRun(run.data.definition)) : null;
    if (plan !== undefined) return saved.data && newest.data ? draftOfPlan(saved.data, newest.data) : null;
    if (recipe === undefined) return draftOf(BLANK_DEFINITION);
    const found = recipes.data?.items.find(({ slug }) => slug === recipe);
    const definition = found && firstSize(found, size)?.definition;
    return definition ? draftOf(definition) : null;
  }, [recipe, size, from, plan, version, run.data, saved.data, newest.data, recipes.data]);

  if (draft) return { state: 'ready', draft };
  if (asked?.error) return { state: 'failed', error: asked.error, retry: () => void asked.refetch() };
  if (newest.error) return { state: 'failed', error: newest.error, retry: () => void newest.refetch() };
  if (asked?.data && plan === undefined) {
    return {
      state: 'failed',
      error: new Error(`There is no recipe “${recipe}”.`),
      retry: () => void asked.refetch(),
    };
  }
  return { state: 'loading' };
}
