/** Two people's edits of one dashboard. Pure. */
import type { DashboardContent, Panel } from '@/api/dashboards';

export interface Merged {
  readonly content: DashboardContent;
  /** What both changed in different ways: mine is taken, theirs stays in the version before. */
  readonly contested: readonly string[];
}

/** Three-way: what only one side changed is taken from it; a panel that one changed and the other removed stays. */
export function mergeContents(
  base: DashboardContent,
  mine: DashboardContent,
  theirs: DashboardContent,
): Merged {
  const contested: string[] = [];
  const pick = <T>(name: string, before: T, my: T, their: T): T => {
    if (isSame(my, before)) return their;
    if (!isSame(their, before) && !isSame(my, their)) contested.push(name);
    return my;
  };
  const panels = orderOf(base, mine, theirs).flatMap((id) => {
    const [before, my, their] = [base, mine, theirs].map((side) =>
      panelsOf(side).find((panel) => panel.id === id),
    );
    if (my && their) return [pick(nameOf(my), before ?? my, my, their)];
    const kept = my ?? their;
    const isRemovedUnchanged = before !== undefined && isSame(kept, before);
    if (before !== undefined && kept && !isRemovedUnchanged) contested.push(nameOf(kept));
    return kept && !isRemovedUnchanged ? [kept] : [];
  });
  const content = {
    name: pick('the name', base.name, mine.name, theirs.name),
    refresh_s: pick('how often it refreshes', base.refresh_s, mine.refresh_s, theirs.refresh_s),
    is_pinned: pick('the pin', base.is_pinned, mine.is_pinned, theirs.is_pinned),
    panels,
  };
  return { content, contested };
}

function panelsOf({ panels }: DashboardContent): readonly Panel[] {
  return panels ?? [];
}

/** My order when I changed it, else theirs; what the other side added comes last. */
function orderOf(base: DashboardContent, mine: DashboardContent, theirs: DashboardContent): string[] {
  const [before, my, their] = [base, mine, theirs].map((side) => panelsOf(side).map(({ id }) => id)) as [
    string[],
    string[],
    string[],
  ];
  const isMineMoved = !isSame(
    my.filter((id) => before.includes(id)),
    before.filter((id) => my.includes(id)),
  );
  return [...new Set(isMineMoved ? [...my, ...their] : [...their, ...my])];
}

function nameOf({ title, id }: Panel): string {
  return title === '' || title === undefined ? `panel ${id}` : `“${title}”`;
}

/** Of plain data written by the same code, so that keys stand in the same order. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
