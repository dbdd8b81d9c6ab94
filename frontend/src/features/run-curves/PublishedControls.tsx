import { Group, Switch, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PublishedSeries, RunPublished } from '@/api/recipes';
import { SourceButton, type SourceFigure } from '@/components/SourceDialog';
import { metricTitle } from '@/lib/metrics';
import { describeParameter } from '@/lib/parameters';
import type { CurveView } from './selection';

interface PublishedControlsProps {
  readonly published: RunPublished;
  readonly isShown: boolean;
  readonly base: string | null;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** The published figures on or off, and who published them. Nothing where nobody did. */
export function PublishedControls(props: PublishedControlsProps): ReactElement | null {
  const { published, isShown, base, onView } = props;
  if (published.series.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Published figures">
      <Switch
        size="xs"
        label="Published figures, grey and dashed"
        checked={isShown}
        onChange={({ currentTarget }) => onView({ pub: currentTarget.checked ? undefined : false })}
      />
      {published.source && (
        <SourceButton source={published.source} figures={published.series.flatMap(figuresOf)} />
      )}
      {isShown && (
        <Text size="xs" c="dimmed">
          {base === null
            ? 'Measured on other hardware: compare ratios, not values.'
            : `Both divided by their own ${base}, because the hardware differs.`}
        </Text>
      )}
    </Group>
  );
}

function figuresOf(series: PublishedSeries) {
  const { scenario, system, client, axis, unit, metric, derived, points } = series;
  return points.map(
    ({ x, value, note }): SourceFigure => ({
      scenario: `${scenario}: ${metricTitle(metric)}`,
      system,
      client,
      at: axis !== null && x !== null ? describeParameter(axis, x) : '',
      value,
      unit,
      note: [note, derived].filter((part) => part !== null).join('; '),
    }),
  );
}
