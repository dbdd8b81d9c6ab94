/** What was typed outlives a reload of the tab, apart for each plan that was started from. */
import type { SizeName } from '@/api/recipes';
import { type Draft, newAxis } from './draft';

export interface DraftOrigin {
  readonly recipe?: string;
  /** Of the recipe. */
  readonly size?: SizeName;
  /** A run to clone with changes. */
  readonly from?: string;
  readonly plan?: string;
  /** An earlier one of the plan. */
  readonly version?: number;
}

function storageKey({ recipe, size, from, plan, version }: DraftOrigin): string {
  const of = version === undefined ? '' : `@${version}`;
  return `loadstone.draft:${recipe ?? ''}${size ?? ''}:${from ?? ''}:${plan ?? ''}${of}`;
}

export function keepDraft(origin: DraftOrigin, draft: Draft): void {
  sessionStorage.setItem(storageKey(origin), JSON.stringify(draft));
}

export function dropDraft(origin: DraftOrigin): void {
  sessionStorage.removeItem(storageKey(origin));
}

/** What was typed goes on as a change of the plan that it was saved as. */
export function moveDraft(from: DraftOrigin, to: DraftOrigin, draft: Draft): void {
  dropDraft(from);
  keepDraft(to, draft);
}

export function keptDraft(origin: DraftOrigin): Draft | null {
  const stored = sessionStorage.getItem(storageKey(origin));
  if (!stored) return null;
  try {
    const draft = JSON.parse(stored) as Draft;
    const axes = draft.axes.map(({ parameter, text }) => newAxis(parameter, text));
    return { ...draft, axes };
  } catch {
    return null;
  }
}
