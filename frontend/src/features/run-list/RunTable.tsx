import { Checkbox, Group, Paper, Progress, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { RunListItem } from '@/api/runs';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { StatusChip } from '@/components/StatusChip';
import { formatDuration } from '@/lib/format';
import { RunActions } from './RunActions';

/** Seconds from start to end, or to now. */
function tookSeconds(run: RunListItem): number | null {
  if (!run.started_at) return null;
  const end = run.finished_at ? Date.parse(run.finished_at) : Date.now();
  return (end - Date.parse(run.started_at)) / 1000;
}

function endedTrials({ status_counts: counts }: RunListItem): number {
  return counts.succeeded + counts.failed + counts.cancelled + counts.crashed;
}

const COLUMNS: ReadonlyArray<DataColumn<RunListItem>> = [
  {
    id: 'name',
    header: 'Run',
    value: (run) => run.name,
    cell: (run) => (
      <TextLink to="/runs/$runId" params={{ runId: run.id }} fw={550} className="run-name">
        {run.name}
      </TextLink>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    value: (run) => run.status,
    cell: (run) => <StatusChip status={run.status} reason={run.error?.message ?? run.wait_reason?.message} />,
  },
  {
    id: 'progress',
    header: 'Progress (trials)',
    value: (run) => run.progress,
    cell: progressCell,
    isNumber: true,
  },
  { id: 'who', header: 'Who', value: (run) => run.created_by?.name },
  {
    id: 'started',
    header: 'Started',
    value: (run) => run.started_at,
    cell: (run) => <RelativeTime at={run.started_at} />,
  },
  {
    id: 'took',
    header: 'Duration',
    value: tookSeconds,
    cell: (run) => formatDuration(tookSeconds(run)),
    isNumber: true,
  },
  { id: 'agent', header: 'Agent', value: (run) => run.agent?.name },
  {
    id: 'actions',
    header: 'Actions',
    value: () => null,
    cell: (run) => <RunActions run={run} />,
    isActions: true,
  },
];

function progressCell(run: RunListItem): ReactElement {
  const ended = endedTrials(run);
  return (
    <Group gap={8} wrap="nowrap" justify="flex-end">
      <Progress
        value={run.progress * 100}
        w={72}
        size="sm"
        transitionDuration={0}
        aria-label={`${ended} of ${run.trial_count} trials of ${run.name}`}
      />
      <Text size="xs" className="numbers" w={64} ta="right">
        {ended}/{run.trial_count}
      </Text>
    </Group>
  );
}

interface RunTableProps {
  readonly runs: readonly RunListItem[];
  readonly toolbar?: ReactNode;
  /** Ids, in the order in which they were picked. */
  readonly picked: readonly string[];
  readonly onPick: (picked: string[]) => void;
}

function pickColumn({ picked, onPick }: Pick<RunTableProps, 'picked' | 'onPick'>): DataColumn<RunListItem> {
  const toggle = (id: string) =>
    onPick(picked.includes(id) ? picked.filter((other) => other !== id) : [...picked, id]);
  return {
    id: 'pick',
    header: 'Pick',
    value: () => null,
    cell: (run) => (
      <Checkbox
        size="xs"
        aria-label={`Pick ${run.name} to compare`}
        checked={picked.includes(run.id)}
        onChange={() => toggle(run.id)}
      />
    ),
    isActions: true,
  };
}

export function RunTable({ runs, toolbar, picked, onPick }: RunTableProps): ReactElement {
  return (
    <Paper withBorder p="sm">
      <DataTable
        label="Runs"
        columns={[pickColumn({ picked, onPick }), ...COLUMNS]}
        rows={runs}
        rowId={(run) => run.id}
        csvName="loadstone-runs"
        toolbar={toolbar}
      />
    </Paper>
  );
}
