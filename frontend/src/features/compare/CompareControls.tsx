import { Group, MultiSelect, NumberInput, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Comparison, ComparisonDefinition } from '@/api/comparisons';
import { isVisitor } from '@/lib/link';
import { METRICS } from '@/lib/metrics';
import { QueueTrials } from './QueueTrials';
import { SavedMenu } from './SavedComparisons';
import { type ComparePage, DEFAULT_MARGIN, DEFAULT_METRICS } from './view';

interface CompareControlsProps extends ComparePage {
  readonly definition: ComparisonDefinition;
  readonly found: Comparison | undefined;
}

/** What is compared, and which difference matters. */
export function CompareControls({ view, onView, definition, found }: CompareControlsProps): ReactElement {
  const operations = found?.operations ?? ['all'];
  return (
    <Group align="flex-end" gap="sm">
      <NumberInput
        label="Margin (%)"
        description="What does not matter"
        size="xs"
        w={130}
        min={0.1}
        max={99}
        step={0.5}
        decimalScale={2}
        value={view.margin ?? DEFAULT_MARGIN}
        onChange={(margin) =>
          typeof margin === 'number' &&
          margin > 0 &&
          onView({ margin: margin === DEFAULT_MARGIN ? undefined : margin })
        }
      />
      <MultiSelect
        label="Metrics"
        size="xs"
        maw={420}
        data={METRICS.map(({ name, title }) => ({ value: name, label: title }))}
        value={[...(view.metric ?? DEFAULT_METRICS)]}
        onChange={(metric) => metric.length > 0 && onView({ metric })}
        searchable
        hidePickedOptions
      />
      {operations.length > 1 && (
        <Select
          label="Operation"
          size="xs"
          w={120}
          allowDeselect={false}
          data={operations}
          value={view.op ?? 'all'}
          onChange={(op) => onView({ op: op === 'all' || op === null ? undefined : op })}
        />
      )}
      {!isVisitor() && (
        <>
          <QueueTrials definition={definition} found={found} />
          <SavedMenu definition={definition} onOpen={onView} />
        </>
      )}
    </Group>
  );
}
