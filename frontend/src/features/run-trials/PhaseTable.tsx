import { Table, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Trial } from '@/api/runs';
import { KeyValues } from '@/components/KeyValues';
import { formatCount } from '@/lib/format';
import { formatQuantile } from '@/lib/quantile';

type Phase = Trial['phases'][number];

const HEADERS = [
  'Operation',
  'Answers',
  'Throughput (ops/s)',
  'p50',
  'p99',
  'p99.9',
  'Max',
  'Late',
  'Errors',
] as const;

interface PhaseTableProps {
  readonly phase: Phase;
  readonly isServiceTime: boolean;
}

/** One phase by operation; the engine's own figures below. */
export function PhaseTable({ phase, isServiceTime }: PhaseTableProps): ReactElement {
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        Phase {phase.phase}
      </Title>
      <Table.ScrollContainer
        minWidth={0}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={`Phase ${phase.phase}`}
      >
        <Table className="data-table">
          <Table.Thead>
            <Table.Tr>
              {HEADERS.map((header, index) => (
                <Table.Th key={header} ta={index === 0 ? 'left' : 'right'}>
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {phase.operations.map((numbers) => (
              <Table.Tr key={numbers.operation}>
                <Table.Td>{numbers.operation}</Table.Td>
                {cellsOf(numbers).map(([name, text]) => (
                  <Table.Td key={name} ta="right">
                    {text}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed" mt={4}>
        {isServiceTime ? 'Service times, from the send.' : 'Response times, from the intended start.'}
      </Text>
      <VoidReasons phase={phase} />
      <KeyValues values={phase.totals} />
    </section>
  );
}

/** Trust by percentile: which may not be believed, and why. */
function VoidReasons({ phase }: Pick<PhaseTableProps, 'phase'>): ReactElement | null {
  const reasons = phase.operations.flatMap(({ operation, response_time_ns: times }) =>
    Object.values(times.void ?? {}).map(({ message }) => `${operation}: ${message}`),
  );
  if (reasons.length === 0) return null;
  return (
    <Text size="xs" mt={4} component="ul" pl="md">
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </Text>
  );
}

function cellsOf({ response_time_ns: times, ...numbers }: Phase['operations'][number]): [string, string][] {
  return [
    ['count', formatCount(numbers.count)],
    ['throughput', formatCount(numbers.throughput_per_s)],
    ['p50', formatQuantile(times, 'p50')],
    ['p99', formatQuantile(times, 'p99')],
    ['p999', formatQuantile(times, 'p999')],
    ['max', formatQuantile(times, 'max')],
    ['late', formatCount(numbers.late)],
    ['errors', formatCount(numbers.errors)],
  ];
}
