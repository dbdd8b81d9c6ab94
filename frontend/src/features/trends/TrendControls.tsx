import { Group, SegmentedControl, Select, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { METRICS } from '@/lib/metrics';
import { choiceOf, DEFAULT_METRIC, type TrendPage, type TrendSearch } from './view';

const OPERATIONS = ['all', 'get', 'set', 'multi_get'];
const RANGES = [
  { value: '7', label: '7 d' },
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
  { value: '0', label: 'All' },
];

type Choices = Pick<TrendSearch, 'metric' | 'op' | 'days' | 'split' | 'zero' | 'zoom'>;

/** What is drawn, over which time, and how. */
export function TrendControls({ view, onView }: TrendPage<Choices>): ReactElement {
  const choice = choiceOf(view);
  const operations = [...new Set([...OPERATIONS, choice.operation])];
  return (
    <Group gap="sm" align="flex-end">
      <Select
        size="xs"
        w={210}
        label="Metric"
        searchable
        allowDeselect={false}
        data={METRICS.map(({ name, title }) => ({ value: name, label: title }))}
        value={choice.metric}
        onChange={(metric) =>
          onView({ metric: metric === DEFAULT_METRIC ? undefined : (metric ?? undefined) })
        }
      />
      <Select
        size="xs"
        w={120}
        label="Operation"
        allowDeselect={false}
        data={operations}
        value={choice.operation}
        onChange={(op) => onView({ op: op === 'all' ? undefined : (op ?? undefined) })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Time range"
        data={RANGES}
        value={String(choice.days ?? 0)}
        onChange={(days) => onView({ days: days === '90' ? undefined : Number(days), zoom: undefined })}
      />
      <Switch
        size="xs"
        label="Split by store version"
        checked={choice.isSplit}
        onChange={({ currentTarget }) => onView({ split: currentTarget.checked || undefined })}
      />
    </Group>
  );
}
