import { Checkbox, MultiSelect, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { TrendView } from '@/api/dashboards';
import { facetsQuery, seriesQuery } from '@/api/trends';
import { MetricFields } from './MetricFields';

interface TrendFieldsProps {
  readonly view: TrendView;
  readonly onView: (view: TrendView) => void;
}

const MAX_SERIES = 10;
const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '0', label: 'everything' },
];

export function TrendFields({ view, onView }: TrendFieldsProps): ReactElement {
  const series = useInfiniteQuery(seriesQuery({}));
  const facets = useQuery(facetsQuery);
  const known = series.data?.pages.flatMap((page) => page.items) ?? [];
  const chosen = view.series_ids ?? [];
  const unknown = chosen.filter((id) => known.every((one) => one.id !== id));
  const labels = (facets.data?.facets ?? []).flatMap(({ label, values }) =>
    values.map(({ value }) => `${label}:${value}`),
  );
  return (
    <>
      <MultiSelect
        label="Trends"
        description="Named one by one, or left empty and matched by labels"
        searchable
        clearable
        maxValues={MAX_SERIES}
        limit={50}
        data={[
          ...known.map(({ id, title }) => ({ value: id, label: title })),
          ...unknown.map((id) => ({ value: id, label: `trend ${id}` })),
        ]}
        value={chosen}
        onChange={(series_ids) => onView({ ...view, series_ids })}
      />
      <MultiSelect
        label="Labels"
        description="All trends that carry them"
        searchable
        clearable
        limit={50}
        disabled={chosen.length > 0}
        data={[...new Set([...labels, ...(view.labels ?? [])])]}
        value={view.labels ?? []}
        onChange={(next) => onView({ ...view, labels: next })}
      />
      <DrawnFields view={view} onView={onView} />
    </>
  );
}

function DrawnFields({ view, onView }: TrendFieldsProps): ReactElement {
  return (
    <>
      <MetricFields
        metric={view.metric ?? 'throughput_per_s'}
        operation={view.operation ?? 'all'}
        onChange={(patch) => onView({ ...view, ...patch })}
      />
      <NativeSelect
        label="How far back"
        data={RANGES}
        value={String(view.days ?? 0)}
        onChange={({ currentTarget }) => onView({ ...view, days: Number(currentTarget.value) || null })}
      />
      <Checkbox
        label="One line for each version of the store"
        checked={view.is_split_by_version ?? false}
        onChange={({ currentTarget }) => onView({ ...view, is_split_by_version: currentTarget.checked })}
      />
    </>
  );
}
