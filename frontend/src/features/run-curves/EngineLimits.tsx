import { Alert, List } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, trialQuery } from '@/api/runs';
import { metricTitle } from '@/lib/metrics';
import { oneTrialAnEngine } from './shape';

/** Which figures an engine does not give, and why: an empty cell is no zero, and no fault of the run. */
export function EngineLimits({ points }: { readonly points: readonly Point[] }): ReactElement | null {
  const trials = useQueries({ queries: oneTrialAnEngine(points).map(trialQuery) });
  const limited = trials.flatMap(({ data }) => (data && data.missing.length > 0 ? [data] : []));
  if (limited.length === 0) return null;
  return (
    <Alert
      variant="outline"
      color="gray"
      p="xs"
      icon={<IconGauge size={16} />}
      title="What an engine cannot measure"
    >
      <List size="xs">
        {limited.map(({ id, engine, missing }) => (
          <List.Item key={id}>
            {engine}:{' '}
            {missing
              .map(({ metric, reason }) => `${metricTitle(metric).replaceAll('_', ' ')} (${reason})`)
              .join(', ')}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
