/** Which way a table is sorted and which columns it hides: in the page's URL, by the table's name. */

import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ColumnVisibilityState, SortingState, Updater } from '@tanstack/react-table';
import { type TableViews, viewKey } from '@/lib/table-views';

function next<T>(updater: Updater<T>, now: T): T {
  return typeof updater === 'function' ? (updater as (before: T) => T)(now) : updater;
}

/** State and handlers for `useTable`. */
export function useTableView(label: string) {
  const key = viewKey(label);
  const { tables } = useSearch({ strict: false }) as { tables?: TableViews };
  const navigate = useNavigate();
  const view = tables?.[key];
  const sorting: SortingState = view?.sort
    ? [{ id: view.sort.replace(/^-/, ''), desc: view.sort.startsWith('-') }]
    : [];
  const columnVisibility: ColumnVisibilityState = Object.fromEntries(
    (view?.hide ?? []).map((id) => [id, false]),
  );

  const show = (sorted: SortingState, visibility: ColumnVisibilityState) => {
    const [first] = sorted;
    const hide = Object.keys(visibility).filter((id) => visibility[id] === false);
    const sort = first ? `${first.desc ? '-' : ''}${first.id}` : undefined;
    const { [key]: _before, ...others } = tables ?? {};
    const mine = sort || hide.length > 0 ? { [key]: { sort, hide: hide.length > 0 ? hide : undefined } } : {};
    const all = { ...others, ...mine };
    const search = (before: object) => ({ ...before, tables: Object.keys(all).length > 0 ? all : undefined });
    void navigate({ to: '.', search, replace: true, resetScroll: false } as Parameters<typeof navigate>[0]);
  };
  return {
    state: { sorting, columnVisibility },
    onSortingChange: (updater: Updater<SortingState>) => show(next(updater, sorting), columnVisibility),
    onColumnVisibilityChange: (updater: Updater<ColumnVisibilityState>) =>
      show(sorting, next(updater, columnVisibility)),
  };
}
