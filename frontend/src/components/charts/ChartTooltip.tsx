import { Paper, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { countNoun } from '@/lib/format';
import type { ChartPoint, ChartSeries } from './model';
import { lookOfSeries } from './palette';
import { formatQuantity } from './quantity';
import { SeriesKey } from './SeriesKey';
import type { Quantity } from './scale';

export interface TooltipEntry {
  readonly series: ChartSeries;
  readonly point: ChartPoint;
}

interface ChartTooltipProps {
  readonly title: string;
  readonly entries: readonly TooltipEntry[];
  readonly quantity: Quantity;
  readonly scheme: 'light' | 'dark';
}

/** Value, interval, number of trials and trust of every series under the cross-hair. */
export function ChartTooltip({ title, entries, quantity, scheme }: ChartTooltipProps): ReactElement | null {
  if (entries.length === 0) return null;
  return (
    <Paper withBorder shadow="sm" p={6} className="chart-tooltip">
      <Text size="xs" fw={600} px={4}>
        {title}
      </Text>
      <Table withRowBorders={false} verticalSpacing={1} horizontalSpacing={4} fz="xs" className="numbers">
        <Table.Tbody>
          {entries.map(({ series, point }) => (
            <Table.Tr key={series.key}>
              <Table.Td>
                <SeriesKey look={lookOfSeries(series, scheme)} /> {series.label}
              </Table.Td>
              <Table.Td ta="right">{formatQuantity(point.y, quantity)}</Table.Td>
              <Table.Td c="dimmed">{describePoint(point, quantity)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function describePoint(point: ChartPoint, quantity: Quantity): string {
  const parts: string[] = [];
  if (point.label) parts.push(point.label);
  if (typeof point.low === 'number' && typeof point.high === 'number') {
    parts.push(`[${formatQuantity(point.low, quantity)}, ${formatQuantity(point.high, quantity)}]`);
  }
  if (point.trialsCounted !== undefined) parts.push(countNoun(point.trialsCounted, 'trial'));
  if (point.trust && point.trust !== 'pass') parts.push(point.trust);
  if (point.failed) parts.push(point.failed.text);
  if (point.note) parts.push(point.note);
  return parts.join(' · ');
}
