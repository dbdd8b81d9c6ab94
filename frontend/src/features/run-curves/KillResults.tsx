import { Paper, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, type Trial, trialQuery } from '@/api/runs';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { formatCount, formatNs, formatNumber, formatPercent } from '@/lib/format';
import { describeParameters } from '@/lib/parameters';
import { killedTrials } from './shape';

interface Killed {
  readonly trial: Trial;
  readonly report: NonNullable<Trial['durability']>;
}

const TITLE = 'What the kill left';

interface KillResultsProps {
  readonly points: readonly Point[];
  readonly csvName: string;
}

/** Of every acknowledged write: kept, lost or torn, trial by trial. */
export function KillResults({ points, csvName }: KillResultsProps): ReactElement | null {
  const trials = useQueries({ queries: killedTrials(points).map(trialQuery) });
  const rows = trials.flatMap(({ data }): Killed[] =>
    data?.durability ? [{ trial: data, report: data.durability }] : [],
  );
  if (rows.length === 0) return null;
  return (
    <Paper withBorder p="sm" component="section" aria-label={TITLE}>
      <Title order={2} size="h5" mb={4}>
        {TITLE}
      </Title>
      <DataTable
        label={TITLE}
        columns={COLUMNS}
        rows={rows}
        rowId={({ trial }) => trial.id}
        csvName={csvName}
      />
      <Text size="xs" c="dimmed" mt={4}>
        SIGKILL ends the process, not the machine: what a store had handed to the kernel survives it, and a
        power cut would take that too. Throughput counts the whole phase, with the time after the kill in it.
      </Text>
    </Paper>
  );
}

function count(id: string, header: string, value: (report: Killed['report']) => number): DataColumn<Killed> {
  return {
    id,
    header,
    value: ({ report }) => value(report),
    cell: ({ report }) => formatCount(value(report)),
    isNumber: true,
  };
}

const COLUMNS: DataColumn<Killed>[] = [
  { id: 'what', header: 'Target', value: ({ trial }) => describeParameters(trial.parameters) },
  { id: 'trial', header: 'Trial', value: ({ trial }) => trial.repetition + 1, isNumber: true },
  count('acknowledged', 'Acknowledged writes', ({ acknowledged }) => acknowledged),
  count('keys', 'Keys', ({ keys }) => keys),
  count('kept', 'Kept', ({ kept, newer }) => kept + newer),
  count('lost', 'Lost', ({ lost }) => lost),
  {
    id: 'lost_share',
    header: 'Lost, of the keys',
    value: ({ report }) => report.lost / Math.max(1, report.keys),
    cell: ({ report }) => formatPercent(report.lost / Math.max(1, report.keys)),
    isNumber: true,
  },
  count('torn', 'Torn', ({ torn }) => torn),
  count('unreadable', 'Not readable', ({ errors }) => errors),
  {
    id: 'window',
    header: 'Oldest lost write',
    value: ({ report }) => report.lost_window_ns,
    cell: ({ report }) => formatNs(report.lost_window_ns),
    isNumber: true,
  },
  {
    id: 'restart',
    header: 'Back after (s)',
    value: ({ report }) => report.restart_s,
    cell: ({ report }) => formatNumber(report.restart_s),
    isNumber: true,
  },
];
