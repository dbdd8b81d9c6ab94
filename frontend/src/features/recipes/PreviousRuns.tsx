import { Paper, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type RunListItem, runsQuery } from '@/api/runs';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { StatusChip } from '@/components/StatusChip';
import { formatCount } from '@/lib/format';

const COLUMNS: readonly DataColumn<RunListItem>[] = [
  {
    id: 'name',
    header: 'Run',
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <TextLink to="/runs/$runId" params={{ runId: id }} fw={550}>
        {name}
      </TextLink>
    ),
  },
  { id: 'size', header: 'Size', value: ({ recipe }) => recipe?.size },
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ status, error }) => <StatusChip status={status} reason={error?.message} />,
  },
  {
    id: 'trials',
    header: 'Trials',
    value: ({ trial_count }) => trial_count,
    cell: ({ trial_count }) => formatCount(trial_count),
    isNumber: true,
  },
  { id: 'agent', header: 'Agent', value: ({ agent }) => agent?.name },
  {
    id: 'started',
    header: 'Started',
    value: ({ started_at }) => started_at,
    cell: ({ started_at }) => <RelativeTime at={started_at} />,
  },
];
const SHOWN = 10;

/** What came of this recipe here, the newest first. */
export function PreviousRuns({ slug }: { readonly slug: string }): ReactElement {
  const runs = useInfiniteQuery({ ...runsQuery({ recipe: slug }, SHOWN), refetchInterval: false });
  const items = runs.data?.pages[0]?.items ?? [];
  return (
    <Paper withBorder p="md" component="section" aria-label="Runs of this recipe">
      <Title order={2} size="h5" mb="xs">
        Runs of this recipe
      </Title>
      {items.length > 0 ? (
        <DataTable
          label="Runs of this recipe"
          columns={COLUMNS}
          rows={items}
          rowId={({ id }) => id}
          csvName={`${slug}-runs`}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {runs.isPending ? 'Reading…' : 'It has not run here yet.'}
        </Text>
      )}
    </Paper>
  );
}
