import { Paper, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Sample } from '@/api/runs';
import type { TelemetryMark } from '@/api/telemetry';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { formatDuration, formatNumber } from '@/lib/format';
import { fileStem } from '@/lib/save-file';
import { secondsOf } from './telemetry-marks';

interface EventListProps {
  readonly events: readonly TelemetryMark[];
  readonly samples: readonly Sample[];
  readonly csvName: string;
}

interface Row {
  readonly key: string;
  readonly time_s: number;
  readonly event: TelemetryMark;
}

const COLUMNS: ReadonlyArray<DataColumn<Row>> = [
  {
    id: 'time',
    header: 'Time (s)',
    value: (row) => row.time_s,
    cell: (row) => formatNumber(row.time_s),
    isNumber: true,
  },
  { id: 'title', header: 'What happened', value: ({ event }) => event.title },
  {
    id: 'duration',
    header: 'Took',
    value: ({ event }) => event.duration_s,
    cell: ({ event }) => formatDuration(event.duration_s),
    isNumber: true,
  },
  { id: 'detail', header: 'Detail', value: ({ event }) => event.detail, isText: true },
];

/** The marks of the charts, in words. */
export function EventList({ events, samples, csvName }: EventListProps): ReactElement | null {
  if (events.length === 0) return null;
  const rows = events.map((event) => ({
    key: `${event.agent_id}:${event.seq}`,
    time_s: secondsOf(event.at, samples),
    event,
  }));
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb={4}>
        What happened meanwhile
      </Title>
      <DataTable
        label="Events"
        columns={COLUMNS}
        rows={rows}
        rowId={(row) => row.key}
        csvName={fileStem(csvName)}
      />
    </Paper>
  );
}
