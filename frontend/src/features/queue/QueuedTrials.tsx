import { Button, Group, Paper } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type QueuedTrial, queuedTrialsQuery } from '@/api/queue';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';

const COLUMNS: ReadonlyArray<DataColumn<QueuedTrial>> = [
  { id: 'place', header: 'Place', value: ({ place }) => place, isNumber: true },
  {
    id: 'run',
    header: 'Run',
    value: ({ run_name }) => run_name,
    cell: ({ run_id, run_name }) => (
      <TextLink to="/runs/$runId" params={{ runId: run_id }} className="run-name">
        {run_name}
      </TextLink>
    ),
  },
  { id: 'ordinal', header: 'Trial', value: ({ ordinal }) => ordinal + 1, isNumber: true },
  {
    id: 'parameters',
    header: 'Point',
    value: ({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
  },
  {
    id: 'begins',
    header: 'Begins',
    value: ({ starts_at }) => starts_at,
    cell: ({ starts_at }) => (starts_at ? <RelativeTime at={starts_at} /> : '–'),
  },
  { id: 'agent', header: 'Agent', value: ({ agent }) => agent?.name },
  { id: 'reason', header: 'Waits for', isText: true, value: ({ reason }) => reason?.message ?? 'Nothing' },
];

export function QueuedTrials({ text }: { readonly text: string | undefined }): ReactElement {
  const trials = useInfiniteQuery(queuedTrialsQuery);
  if (trials.isPending) return <TableSkeleton columns={6} />;
  if (!trials.data) {
    const { code, detail } = toProblem(trials.error);
    return (
      <FailureState
        what="The waiting trials could not be read"
        code={code}
        detail={detail}
        onRetry={() => void trials.refetch()}
      />
    );
  }
  const items = trials.data.pages.flatMap((page) => page.items);
  const shown = items.filter(({ run_name }) => !text || run_name.toLowerCase().includes(text.toLowerCase()));
  return (
    <Paper withBorder p="sm">
      <DataTable
        label="Waiting trials"
        columns={COLUMNS}
        rows={shown}
        rowId={({ id }) => id}
        csvName="loadstone-waiting-trials"
      />
      {trials.hasNextPage && (
        <Group justify="center" mt="sm">
          <Button
            variant="default"
            size="xs"
            loading={trials.isFetchingNextPage}
            onClick={() => trials.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </Paper>
  );
}
