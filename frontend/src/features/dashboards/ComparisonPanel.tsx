import { Paper, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Schemas } from '@/api/client';
import type { ComparisonView } from '@/api/dashboards';
import { formatQuantity } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { formatNumber } from '@/lib/format';
import { quantityOfUnit } from '@/lib/metrics';
import { describeParameters } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { savedComparisonQuery } from './comparisons';

interface ComparisonPanelProps {
  readonly view: ComparisonView;
  readonly title: string;
  readonly height: number;
}

/** A saved comparison, judged anew: its sentence and each cell's verdict. */
export function ComparisonPanel({ view, title, height }: ComparisonPanelProps): ReactElement {
  const comparison = useQuery(savedComparisonQuery(view.comparison_id));
  if (comparison.isPending) return <ChartSkeleton height={height} />;
  if (!comparison.data) {
    const { code, detail } = toProblem(comparison.error);
    return (
      <FailureState
        what="The comparison could not be read"
        code={code}
        detail={detail}
        onRetry={() => comparison.refetch()}
      />
    );
  }
  const { name, result } = comparison.data;
  const metric = result.metrics.find((one) => one.name === view.metric) ?? result.metrics[0];
  const cells = result.cells.filter((cell) => cell.metric === metric?.name);
  return (
    <Paper withBorder p="sm" role="group" aria-label={title || name}>
      <Title order={2} size="h6" mb={4}>
        {title || name}
      </Title>
      <Text size="sm" mb={6}>
        {result.sentence}
      </Text>
      <Table.ScrollContainer
        minWidth={0}
        mah={height}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={`Verdicts of ${title || name}`}
      >
        <Verdicts cells={cells} metric={metric} />
      </Table.ScrollContainer>
    </Paper>
  );
}

interface VerdictsProps {
  readonly cells: readonly Schemas['Cell'][];
  readonly metric: Schemas['ComparedMetric'] | undefined;
}

function Verdicts({ cells, metric }: VerdictsProps): ReactElement {
  return (
    <Table className="data-table" fz="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{metric?.title ?? 'Where'}</Table.Th>
          <Table.Th ta="right">Base</Table.Th>
          <Table.Th ta="right">Contender</Table.Th>
          <Table.Th ta="right">Ratio</Table.Th>
          <Table.Th>Verdict</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {cells.map((cell) => (
          <CellRow
            key={`${cell.contender}:${cell.contender_point_id}`}
            cell={cell}
            unit={metric?.unit ?? ''}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

const SIGNS = { better: '▲', worse: '▼', equivalent: '=', changed: '±', not_enough_data: '?' } as const;
const WORDS = {
  better: 'better',
  worse: 'worse',
  equivalent: 'equivalent',
  changed: 'changed, size open',
  not_enough_data: 'inconclusive',
} as const;

function CellRow({ cell, unit }: { cell: Schemas['Cell']; unit: string }): ReactElement {
  const quantity = quantityOfUnit(unit);
  const tone = cell.verdict === 'worse' ? 'tone-bad' : cell.verdict === 'better' ? 'tone-good' : undefined;
  const interval = cell.interval
    ? ` [${formatNumber(cell.interval.low)}, ${formatNumber(cell.interval.high)}]`
    : '';
  return (
    <Table.Tr>
      <Table.Td className="wraps">{describeParameters(cell.parameters)}</Table.Td>
      <Table.Td ta="right">{formatQuantity(cell.base_value, quantity)}</Table.Td>
      <Table.Td ta="right">{formatQuantity(cell.contender_value, quantity)}</Table.Td>
      <Table.Td ta="right">
        {formatNumber(cell.ratio)}
        {interval}
      </Table.Td>
      <Table.Td className={tone}>
        {SIGNS[cell.verdict]} {cell.refusal?.message ?? WORDS[cell.verdict]}
      </Table.Td>
    </Table.Tr>
  );
}
