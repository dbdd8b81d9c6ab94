/** Sizes and needs of a recipe in words. Pure. */
import type { Agent } from '@/api/agents';
import type { RecipeSize, SizeName } from '@/api/recipes';
import { countNoun, formatDuration } from '@/lib/format';

const SIZE_TITLES: Record<SizeName, string> = { quick: 'Quick', full: 'Full, as published' };

export function sizeTitle(size: SizeName, isStudy: boolean): string {
  return size === 'full' && !isStudy ? 'Full' : SIZE_TITLES[size];
}

/** "quick: 24 trials, about 4 min". */
export function describeSize({ size, trial_count, estimated_s }: RecipeSize): string {
  return `${size}: ${countNoun(trial_count, 'trial')}, about ${formatDuration(estimated_s)}`;
}

export interface StoreNeed {
  readonly kind: string;
  readonly targets: readonly string[];
  /** Of the agents that can start it. */
  readonly by: readonly string[];
  /** What would get it, and where. */
  readonly remedies: readonly { readonly agent: string; readonly command: string }[];
}

type Targets = RecipeSize['definition']['targets'];

/** Each kind of store the recipe starts, who can start it, and what gets it where it is missing. */
export function storeNeeds(targets: Targets, agents: readonly Agent[]): StoreNeed[] {
  const named = new Map<string, string[]>();
  for (const target of targets) {
    if (!('kind' in target)) continue;
    named.set(target.kind, [...(named.get(target.kind) ?? []), target.name ?? target.profile]);
  }
  return [...named].map(([kind, names]) => {
    const offers = agents.flatMap(({ name, stores }) =>
      stores.filter((offer) => offer.kind === kind).map((offer) => ({ agent: name, offer })),
    );
    return {
      kind,
      targets: names,
      by: offers.filter(({ offer }) => offer.available).map(({ agent }) => agent),
      remedies: offers.flatMap(({ agent, offer }) =>
        !offer.available && offer.remedy ? [{ agent, command: offer.remedy }] : [],
      ),
    };
  });
}
