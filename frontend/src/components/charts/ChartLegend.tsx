import { Group, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ChartSeries } from './model';
import { lookOfSeries } from './palette';
import { SeriesKey } from './SeriesKey';
import { useScheme } from './useScheme';

interface ChartLegendProps {
  readonly series: readonly ChartSeries[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onIsolate: (key: string) => void;
}

/** Click toggles a line, a double click (or Shift+click, for the keyboard Shift+Enter) leaves it alone on the page. */
export function ChartLegend({ series, hidden, onToggle, onIsolate }: ChartLegendProps): ReactElement {
  const scheme = useScheme();
  return (
    <Group gap={4} className="chart-legend" role="group" aria-label="Lines of the chart">
      {series.map((one) => (
        <UnstyledButton
          key={one.key}
          className="chart-legend-item"
          aria-pressed={!hidden.has(one.key)}
          title="Click hides or shows, double click leaves this line alone"
          onClick={({ detail, shiftKey }) =>
            detail > 1 || shiftKey ? onIsolate(one.key) : onToggle(one.key)
          }
        >
          <SeriesKey look={lookOfSeries(one, scheme)} />
          <span>{one.label}</span>
        </UnstyledButton>
      ))}
    </Group>
  );
}

/** What each line is, where nothing is to be toggled. */
export function LineNames({ series }: Pick<ChartLegendProps, 'series'>): ReactElement {
  const scheme = useScheme();
  return (
    <Group gap="sm" fz="xs" c="dimmed">
      {series.map((one) => (
        <span key={one.key}>
          <SeriesKey look={lookOfSeries(one, scheme)} /> {one.label}
        </span>
      ))}
    </Group>
  );
}
