import { Group, Select, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { METRICS } from '@/lib/metrics';

interface MetricFieldsProps {
  readonly metric: string;
  readonly operation: string;
  readonly onChange: (patch: { metric?: string; operation?: string }) => void;
}

export function MetricFields({ metric, operation, onChange }: MetricFieldsProps): ReactElement {
  return (
    <Group grow>
      <MetricSelect metric={metric} onMetric={(chosen) => onChange({ metric: chosen })} />
      <TextInput
        label="Operation"
        description="“all” for all together"
        required
        maxLength={100}
        value={operation}
        onChange={({ currentTarget }) => onChange({ operation: currentTarget.value })}
      />
    </Group>
  );
}

export function MetricSelect({
  metric,
  onMetric,
}: {
  metric: string;
  onMetric: (metric: string) => void;
}): ReactElement {
  return (
    <Select
      label="Metric"
      description="What is drawn"
      searchable
      allowDeselect={false}
      data={METRICS.map(({ name, title }) => ({ value: name, label: title }))}
      value={metric}
      onChange={(chosen) => chosen && onMetric(chosen)}
    />
  );
}
