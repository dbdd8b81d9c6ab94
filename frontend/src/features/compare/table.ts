/** Cells as the rows of a file. Pure. */
import type { Comparison, ComparisonCell } from '@/api/comparisons';
import { type CsvCell, toCsv } from '@/lib/csv';
import { placeText } from './cells';

const HEADER = [
  'contender',
  'at',
  'metric',
  'operation',
  'base',
  'value',
  'ratio',
  'low',
  'high',
  'p',
  'p_adjusted',
  'method',
  'order',
  'n_base',
  'n_contender',
  'n_pairs',
  'verdict',
  'trials_needed',
  'refusal',
] as const;

export function cellsCsv({ cells, sides }: Comparison, metric: string): string {
  const rows = cells
    .filter((cell) => cell.metric === metric)
    .map((cell) => cellRow(cell, sides[cell.contender]?.label ?? ''));
  return toCsv([...HEADER], rows);
}

function cellRow(cell: ComparisonCell, contender: string): CsvCell[] {
  return [
    contender,
    placeText(cell),
    cell.metric,
    cell.operation,
    cell.base_value,
    cell.contender_value,
    cell.ratio,
    cell.interval?.low,
    cell.interval?.high,
    cell.p_value,
    cell.p_adjusted,
    cell.interval_kind ?? cell.method,
    cell.order,
    cell.n_base,
    cell.n_contender,
    cell.n_pairs,
    cell.verdict,
    cell.trials_needed,
    cell.refusal?.code,
  ];
}
