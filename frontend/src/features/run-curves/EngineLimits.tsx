import { List, Paper, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, trialQuery } from '@/api/runs';
import { metricTitle } from '@/lib/metrics';
import { oneTrialAnEngine } from './shape';

const TITLE = 'What an engine cannot measure';

/** Which figures an engine does not give, and why: an empty cell is no zero, and no fault of the run. */
export function EngineLimits({ points }: { readonly points: readonly Point[] }): ReactElement | null {
  const trials = useQueries({ queries: oneTrialAnEngine(points).map(trialQuery) });
  const limited = trials.flatMap(({ data }) => (data && data.missing.length > 0 ? [data] : []));
  if (limited.length === 0) return null;
  return (
    <Paper withBorder p="sm" component="section" aria-label={TITLE}>
      <Title order={2} size="h5" mb={4}>
        {TITLE}
      </Title>
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
    </Paper>
  );
}
