import { Paper, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Sample, SampleOperation } from '@/api/runs';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { formatCount } from '@/lib/format';
import { formatQuantileMs } from '@/lib/quantile';
import { fileStem } from '@/lib/save-file';
import { secondsSince } from './seconds-series';

interface Row {
  readonly key: string;
  readonly time_s: number;
  readonly phase: string;
  readonly numbers: SampleOperation;
}

interface SecondsTableProps {
  readonly samples: readonly Sample[];
  readonly isDownsampled: boolean;
  readonly csvName: string;
}

const COLUMNS: ReadonlyArray<DataColumn<Row>> = [
  { id: 'time', header: 'Time (s)', value: (row) => row.time_s, isNumber: true },
  { id: 'phase', header: 'Phase', value: (row) => row.phase },
  { id: 'operation', header: 'Operation', value: (row) => row.numbers.operation },
  {
    id: 'throughput',
    header: 'Throughput (ops/s)',
    value: (row) => row.numbers.throughput_per_s,
    cell: (row) => formatCount(row.numbers.throughput_per_s),
    isNumber: true,
  },
  ...(['p50', 'p99', 'max'] as const).map((percentile) => ({
    id: percentile,
    header: `${percentile} response time (ms)`,
    value: ({ numbers }: Row) => toMs(numbers.response_time_ns[percentile]),
    cell: ({ numbers }: Row) => formatQuantileMs(numbers.response_time_ns, percentile),
    isNumber: true,
  })),
  { id: 'late', header: 'Late', value: (row) => row.numbers.late, isNumber: true },
  { id: 'errors', header: 'Errors', value: (row) => row.numbers.errors, isNumber: true },
  { id: 'misses', header: 'Misses', value: (row) => row.numbers.misses, isNumber: true },
];

function toMs(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}

export function SecondsTable({ samples, isDownsampled, csvName }: SecondsTableProps): ReactElement {
  const xOf = secondsSince(samples);
  const rows = samples.flatMap((sample) =>
    sample.operations.map((numbers) => ({
      key: `${sample.seq}:${numbers.operation}`,
      time_s: xOf(sample),
      phase: sample.phase,
      numbers,
    })),
  );
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb={4}>
        The same numbers
      </Title>
      {isDownsampled && (
        <Text size="xs" c="dimmed">
          A long trial: of each stretch, the seconds with the lowest and the highest throughput and p99 are
          here.
        </Text>
      )}
      <DataTable
        label="Seconds"
        columns={COLUMNS}
        rows={rows}
        rowId={(row) => row.key}
        csvName={fileStem(csvName)}
      />
    </Paper>
  );
}
