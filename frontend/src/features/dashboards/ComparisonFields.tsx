import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ComparisonView } from '@/api/dashboards';
import { savedComparisonsQuery } from './comparisons';
import { MetricSelect } from './MetricFields';

interface ComparisonFieldsProps {
  readonly view: ComparisonView;
  readonly onView: (view: ComparisonView) => void;
}

export function ComparisonFields({ view, onView }: ComparisonFieldsProps): ReactElement {
  const saved = useQuery(savedComparisonsQuery);
  return (
    <>
      <Select
        label="Saved comparison"
        searchable
        nothingFoundMessage="No comparison is saved yet. Compare runs, and save it there."
        data={(saved.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={view.comparison_id || null}
        onChange={(comparison_id) => onView({ ...view, comparison_id: comparison_id ?? '' })}
      />
      <MetricSelect
        metric={view.metric ?? 'throughput_per_s'}
        onMetric={(metric) => onView({ ...view, metric })}
      />
    </>
  );
}
