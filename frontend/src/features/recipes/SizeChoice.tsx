import { Group, SegmentedControl, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Recipe, RecipeSize, SizeName } from '@/api/recipes';
import { countNoun, formatCount, formatDuration } from '@/lib/format';
import { sizeTitle } from './words';

interface SizeChoiceProps {
  readonly recipe: Recipe;
  readonly size: RecipeSize;
  readonly onSize: (size: SizeName) => void;
}

/** As published, or what fits into a few minutes; and what the chosen one takes. */
export function SizeChoice({ recipe, size, onSize }: SizeChoiceProps): ReactElement {
  const { definition, trial_count, estimated_s } = size;
  return (
    <Group gap="xl" mb="sm" align="center">
      {recipe.sizes.length > 1 && (
        <SegmentedControl
          aria-label="Size"
          value={size.size}
          onChange={(next) => onSize(next as SizeName)}
          data={[...recipe.sizes]
            .sort((a, b) => a.trial_count - b.trial_count)
            .map((one) => ({ value: one.size, label: sizeTitle(one.size, recipe.study) }))}
        />
      )}
      <Group gap="lg" className="numbers" aria-live="polite">
        <Figure label="takes about" value={formatDuration(estimated_s)} />
        <Figure label="trials" value={formatCount(trial_count)} />
        <Figure label="targets" value={formatCount(definition.targets.length)} />
        {definition.workloads && definition.workloads.length > 0 && (
          <Figure
            label="workloads"
            value={formatCount(new Set(definition.workloads.map(({ name }) => name)).size)}
          />
        )}
        <Figure label="of each point" value={countNoun(definition.trials_per_point ?? 1, 'trial')} />
      </Group>
    </Group>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }): ReactElement {
  return (
    <div>
      <Text fw={650} fz="lg" lh={1.2}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}
