import { Button, Paper, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SeriesLine, SeriesValue, SeriesValues } from '@/api/trends';
import { formatQuantity } from '@/components/charts';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { quantityOfUnit } from '@/lib/metrics';
import { fileStem } from '@/lib/save-file';

interface ValuesTableProps {
  readonly line: SeriesLine;
  readonly metric: SeriesValues['metric'];
  readonly onPoint: (pointId: string) => void;
}

/** The same numbers, the newest first, with the run behind each. */
export function ValuesTable({ line, metric, onPoint }: ValuesTableProps): ReactElement {
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb={4}>
        The same numbers
      </Title>
      <DataTable
        label="Values of the trend"
        columns={valueColumns(metric, onPoint)}
        rows={[...line.values].reverse()}
        rowId={({ point_id }) => point_id}
        csvName={fileStem('trend', line.series.title)}
        rowClass={({ excluded }) => (excluded ? 'hatched' : undefined)}
      />
    </Paper>
  );
}

function valueColumns(
  metric: SeriesValues['metric'],
  onPoint: (pointId: string) => void,
): ReadonlyArray<DataColumn<SeriesValue>> {
  const quantity = quantityOfUnit(metric.unit);
  const number = (id: 'value' | 'low' | 'high', header: string): DataColumn<SeriesValue> => ({
    id,
    header,
    value: (row) => row[id],
    cell: (row) => formatQuantity(row[id], quantity),
    isNumber: true,
  });
  return [
    { id: 'at', header: 'Measured', value: ({ at }) => at, cell: ({ at }) => <RelativeTime at={at} /> },
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
    number('value', metric.title),
    number('low', 'Lowest trial'),
    number('high', 'Highest trial'),
    { id: 'trials', header: 'Trials', value: ({ trials_counted }) => trials_counted, isNumber: true },
    { id: 'store', header: 'Store version', value: ({ store_version }) => store_version },
    { id: 'engine', header: 'Engine version', value: ({ engine_version }) => engine_version },
    {
      id: 'excluded',
      header: 'Excluded because',
      value: ({ excluded }) => excluded?.reason ?? null,
      isText: true,
    },
    lookColumn(onPoint),
  ];
}

function lookColumn(onPoint: (pointId: string) => void): DataColumn<SeriesValue> {
  return {
    id: 'actions',
    header: 'Actions',
    value: () => null,
    cell: ({ point_id, run_name }) => (
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Look at ${run_name}`}
        onClick={() => onPoint(point_id)}
      >
        Look
      </Button>
    ),
    isActions: true,
  };
}
