import { optionalText, type RawSearch, textList } from './search-params';

export interface TableView {
  /** A column's id; with a leading minus the largest come first. */
  readonly sort?: string;
  readonly hide?: string[];
}

/** By `viewKey` of the table's label. */
export type TableViews = Readonly<Record<string, TableView>>;

export function viewKey(label: string): string {
  return label.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** The part of every page's URL that says how its tables are shown. */
export function tablesSearch(raw: RawSearch): { tables?: TableViews } {
  if (typeof raw.tables !== 'object' || raw.tables === null || Array.isArray(raw.tables)) return {};
  const views = Object.entries(raw.tables as Record<string, unknown>).flatMap(([key, view]) => {
    if (typeof view !== 'object' || view === null) return [];
    const { sort, hide } = view as RawSearch;
    return [[key, { sort: optionalText(sort), hide: textList(hide) }] as const];
  });
  return views.length > 0 ? { tables: Object.fromEntries(views) } : {};
}
