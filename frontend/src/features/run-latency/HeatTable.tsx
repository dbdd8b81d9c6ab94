import { Table } from '@mantine/core';
import type { ReactElement } from 'react';
import type { HeatMap } from '@/api/latency';
import { formatCount, formatDuration, formatNs } from '@/lib/format';
import { shareWithin } from './spectra';

const SHARES = [0.5, 0.99, 0.999] as const;

interface HeatTableProps {
  readonly heat: HeatMap;
  readonly label: string;
}

/** The map as numbers: for each stretch of time how many answers came, and within what most of them did. */
export function HeatTable({ heat, label }: HeatTableProps): ReactElement {
  return (
    <Table.ScrollContainer
      minWidth={0}
      mah={280}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={`The same numbers, ${label}`}
    >
      <Table className="data-table numbers" fz="xs" verticalSpacing={2} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">From</Table.Th>
            <Table.Th>Phase</Table.Th>
            <Table.Th ta="right">Answers</Table.Th>
            {SHARES.map((share) => (
              <Table.Th key={share} ta="right">
                {share * 100} % within
              </Table.Th>
            ))}
            <Table.Th ta="right">Slowest within</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {heat.columns.map(({ from_s, phase, counts }) => (
            <Table.Tr key={from_s}>
              <Table.Td ta="right">{formatDuration(from_s)}</Table.Td>
              <Table.Td>{phase}</Table.Td>
              <Table.Td ta="right">{formatCount(counts.reduce((sum, count) => sum + count, 0))}</Table.Td>
              {[...SHARES, 1].map((share) => (
                <Table.Td key={share} ta="right">
                  {formatNs(shareWithin(counts, heat.edges_ns, share))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
