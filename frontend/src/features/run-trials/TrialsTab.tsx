import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconListNumbers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Run, type TrialItem, trialsQuery } from '@/api/runs';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TableSkeleton } from '@/components/Skeletons';
import { StatusChip, TrustChip } from '@/components/StatusChip';
import { TeachingState } from '@/components/TeachingState';
import { formatNumber } from '@/lib/format';
import { parameterTitle } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { fileStem } from '@/lib/save-file';
import { TrialDrawer } from './TrialDrawer';

interface TrialsTabProps {
  readonly run: Run;
  readonly detail: string | undefined;
  readonly onDetail: (trialId: string | undefined) => void;
}

/** Their values are names. */
const TEXT_AXES: ReadonlySet<string> = new Set(['target', 'workload', 'engine']);

/** Every trial in the order of execution. */
export function TrialsTab({ run, detail, onDetail }: TrialsTabProps): ReactElement {
  const trials = useInfiniteQuery(trialsQuery(run.id));
  if (trials.isPending) return <TableSkeleton />;
  if (trials.isError && !trials.data) {
    const { code, detail: why } = toProblem(trials.error);
    return (
      <FailureState
        what="The trials could not be read"
        code={code}
        detail={why}
        onRetry={() => trials.refetch()}
      />
    );
  }
  const rows = trials.data.pages.flatMap((page) => page.items);
  if (rows.length === 0) {
    return <TeachingState icon={IconListNumbers} title="No trials" text="This run has none to execute." />;
  }
  return (
    <Stack>
      <Paper withBorder p="sm">
        <DataTable
          label="Trials"
          columns={columnsOf(run, rows, onDetail)}
          rows={rows}
          rowId={(trial) => trial.id}
          rowClass={(trial) => (trial.status === 'succeeded' && !trial.is_counted ? 'hatched' : undefined)}
          csvName={`${fileStem(run.name)}-trials`}
        />
      </Paper>
      {trials.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={trials.isFetchingNextPage}
            onClick={() => trials.fetchNextPage()}
          >
            Show more trials
          </Button>
        </Group>
      )}
      <TrialDrawer trialId={detail} onClose={() => onDetail(undefined)} />
    </Stack>
  );
}

function columnsOf(
  run: Run,
  rows: readonly TrialItem[],
  onDetail: (trialId: string) => void,
): DataColumn<TrialItem>[] {
  return [
    {
      id: 'ordinal',
      header: '#',
      value: ({ ordinal }) => ordinal + 1,
      cell: (trial) => (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => onDetail(trial.id)}
          aria-label={`Trial ${trial.ordinal + 1}`}
        >
          {trial.ordinal + 1}
        </Button>
      ),
      isNumber: true,
    },
    ...run.axes.map(({ parameter }) => ({
      id: parameter,
      header: parameter === 'target' ? 'Target' : parameterTitle(parameter),
      value: ({ parameters }: TrialItem) => parameters[parameter] as string | number | undefined,
      isNumber: !TEXT_AXES.has(parameter),
      isName: TEXT_AXES.has(parameter),
    })),
    { id: 'repetition', header: 'Trial', value: ({ repetition }) => repetition + 1, isNumber: true },
    {
      id: 'status',
      header: 'Status',
      value: ({ status }) => status,
      cell: ({ status, error }) => (
        <StatusChip status={status} reason={error ? `${error.message} (${error.code})` : undefined} />
      ),
    },
    { id: 'trust', header: 'Trust', value: ({ trust }) => trust, cell: trustCell },
    { id: 'counted', header: 'Counts', value: countedText },
    { id: 'reasons', header: 'Why', value: whyOf, cell: whyCell, isText: true },
    // Rarely is there a second one.
    ...(rows.some(({ attempt }) => attempt > 1) ? [ATTEMPT] : []),
    ...OF_ENGINE,
  ];
}

const OF_ENGINE: readonly DataColumn<TrialItem>[] = [
  { id: 'engine_name', header: 'Engine', value: engineText, isName: true },
  {
    id: 'engine',
    header: 'Engine time (s)',
    value: ({ engine_elapsed_s }) => engine_elapsed_s,
    cell: ({ engine_elapsed_s }) => formatNumber(engine_elapsed_s),
    isNumber: true,
  },
];
const ATTEMPT: DataColumn<TrialItem> = {
  id: 'attempt',
  header: 'Attempt',
  value: ({ attempt }) => attempt,
  isNumber: true,
};

/** The first lines of it: the trial's own panel tells it in full. */
function whyCell(trial: TrialItem): ReactElement | null {
  const why = whyOf(trial);
  return why === '' ? null : (
    <Text size="xs" lineClamp={2} title={why}>
      {why}
    </Text>
  );
}

function engineText({ engine, engine_version }: TrialItem): string | null {
  return engine && [engine, engine_version].filter(Boolean).join(' ');
}

function trustCell({ trust, trust_reasons }: TrialItem): ReactElement | string {
  if (trust === null) return '–';
  const reason = trust_reasons.map(({ message }) => message).join(' ');
  return <TrustChip trust={trust} reason={reason || undefined} />;
}

/** Whether it enters curves, and by whose word. */
function countedText({ status, is_counted, decisions }: TrialItem): string | null {
  if (status !== 'succeeded') return null;
  const standing = decisions.find(({ undone_at }) => undone_at === null);
  const word = is_counted ? 'yes' : 'no';
  return standing ? `${word}: ${standing.created_by?.name ?? 'someone'}, ${standing.reason}` : word;
}

/** The error of a trial that failed, or the reasons of its verdict. */
function whyOf({ error, trust_reasons }: TrialItem): string {
  if (error) return `${error.code}: ${error.message}`;
  return trust_reasons.map(({ message }) => message).join(' ');
}
