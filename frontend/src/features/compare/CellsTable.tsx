import { Paper } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconBan,
  IconEqual,
  IconPlusMinus,
  IconQuestionMark,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Comparison, ComparisonCell } from '@/api/comparisons';
import { Chip } from '@/components/Chip';
import { formatQuantity } from '@/components/charts';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { formatNumber } from '@/lib/format';
import { quantityOfUnit } from '@/lib/metrics';
import { cellKey, countsText, intervalText, orderText, placeText, verdictText, visibleText } from './cells';

const LOOKS = {
  better: { tone: 'good', icon: IconArrowUp },
  worse: { tone: 'bad', icon: IconArrowDown },
  equivalent: { tone: 'neutral', icon: IconEqual },
  changed: { tone: 'warn', icon: IconPlusMinus },
  not_enough_data: { tone: 'warn', icon: IconQuestionMark },
} as const;

/** Every cell with all its figures. */
export function CellsTable({ found }: { readonly found: Comparison }): ReactElement {
  return (
    <Paper withBorder p="sm">
      <DataTable
        label="Cells"
        columns={columnsOf(found)}
        rows={found.cells}
        rowId={cellKey}
        csvName="loadstone-comparison"
      />
    </Paper>
  );
}

function columnsOf(found: Comparison): DataColumn<ComparisonCell>[] {
  const metricOf = (cell: ComparisonCell) => found.metrics.find(({ name }) => name === cell.metric);
  const shown = (cell: ComparisonCell, value: number | null) =>
    formatQuantity(value, quantityOfUnit(metricOf(cell)?.unit ?? ''));
  const contender: DataColumn<ComparisonCell> = {
    id: 'contender',
    header: 'Contender',
    value: (cell) => found.sides[cell.contender]?.label,
  };
  return [
    ...(found.sides.length > 2 ? [contender] : []),
    { id: 'place', header: 'At', value: placeText },
    { id: 'metric', header: 'Metric', value: (cell) => metricOf(cell)?.title ?? cell.metric },
    {
      id: 'base',
      header: 'Base',
      value: (cell) => cell.base_value,
      cell: (cell) => shown(cell, cell.base_value),
      isNumber: true,
    },
    {
      id: 'value',
      header: 'Contender value',
      value: (cell) => cell.contender_value,
      cell: (cell) => shown(cell, cell.contender_value),
      isNumber: true,
    },
    { id: 'ratio', header: 'Ratio [95 %]', value: (cell) => cell.ratio, cell: intervalText, isNumber: true },
    {
      id: 'p',
      header: 'p adjusted',
      value: (cell) => cell.p_adjusted,
      cell: (cell) => formatNumber(cell.p_adjusted, 2),
      isNumber: true,
    },
    { id: 'n', header: 'n', value: (cell) => cell.n_base, cell: countsText, isNumber: true },
    { id: 'verdict', header: 'Verdict', value: verdictText, cell: verdictCell },
    { id: 'visible', header: 'Could see', value: visibleText },
    { id: 'order', header: 'Measured as', value: orderText, isText: true },
  ];
}

function verdictCell(cell: ComparisonCell): ReactElement {
  if (cell.refusal)
    return <Chip tone="neutral" icon={IconBan} word="refused" reason={cell.refusal.message} />;
  return <Chip {...LOOKS[cell.verdict]} word={verdictText(cell)} />;
}
