import { Tooltip, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Point, PointOperation } from '@/api/runs';
import { formatQuantity } from '@/components/charts';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { isTerminal, type Trust, TrustChip } from '@/components/StatusChip';
import { formatCount, formatNumber, formatPercent, formatRate } from '@/lib/format';
import { parameterTitle } from '@/lib/parameters';
import { believedNs, formatQuantileMs } from '@/lib/quantile';
import { type CurveMetric, failedShare, percentileTitle } from './metrics';
import {
  type AxisValue,
  boundValue,
  type CurveAxis,
  operationOf,
  PERCENTILES,
  type Selection,
} from './selection';
import { failedOf, hasNoResult } from './shape';

interface PointsTableProps {
  readonly points: readonly Point[];
  readonly axes: readonly CurveAxis[];
  /** Null for the overview. */
  readonly metric: CurveMetric | null;
  readonly selection: Selection;
  readonly csvName: string;
}

/** The same numbers as the curves, one row a point. */
export function PointsTable({ points, axes, metric, selection, csvName }: PointsTableProps): ReactElement {
  return (
    <DataTable
      label="Points"
      columns={[
        ...placeColumns(axes),
        ...metricColumns(metric),
        ...numberColumns(selection),
        ...failureColumns(points, selection),
        ...trustColumns(selection),
      ]}
      rows={points}
      rowId={(point) => point.id}
      rowClass={(point) => (hasNoResult(point) ? 'hatched' : undefined)}
      csvName={csvName}
    />
  );
}

function placeColumns(axes: readonly CurveAxis[]): DataColumn<Point>[] {
  return axes.map((axis) => ({
    id: axis.parameter,
    header: axis.parameter === 'target' ? 'Target' : parameterTitle(axis.parameter),
    value: ({ parameters }) => boundValue(parameters, axis),
    cell: ({ parameters }) => placeText(boundValue(parameters, axis)),
    isNumber: axis.isNumeric,
    isName: !axis.isNumeric,
  }));
}

function placeText(value: AxisValue | undefined): string {
  return typeof value === 'number' ? formatNumber(value, 6) : (value ?? '–');
}

/** Throughput and times have columns of their own. */
function metricColumns(metric: CurveMetric | null): DataColumn<Point>[] {
  if (!metric || metric.name === 'throughput_per_s' || metric.parts.join() !== '') return [];
  const read = (point: Point) => metric.read(point, '');
  return [
    {
      id: metric.name,
      header: metric.title,
      value: (point) => read(point)?.y,
      cell: (point) => formatQuantity(read(point)?.y, metric.quantity),
      isNumber: true,
    },
  ];
}

function numberColumns(selection: Selection): DataColumn<Point>[] {
  const { operation, clock } = selection;
  const numbers = (point: Point) => operationOf(point, operation);
  return [
    {
      id: 'throughput',
      header: 'Throughput (ops/s)',
      value: (point) => numbers(point)?.throughput_per_s,
      cell: (point) => formatCount(numbers(point)?.throughput_per_s),
      isNumber: true,
    },
    {
      id: 'band',
      header: 'over trials',
      // One trial has no band.
      value: (point) =>
        (numbers(point)?.trials_counted ?? 0) > 1 ? bandText(numbers(point)?.band.throughput_per_s) : null,
      isNumber: true,
      canSort: false,
    },
    ...PERCENTILES.map((percentile) => ({
      id: percentile,
      header: `${percentileTitle(percentile)} (ms)`,
      value: (point: Point) => toMs(believedNs(numbers(point)?.[clock], percentile)),
      cell: (point: Point) => formatQuantileMs(numbers(point)?.[clock], percentile),
      isNumber: true,
    })),
  ];
}

/** What failed or was refused; nothing where every operation was answered. */
function failureColumns(points: readonly Point[], { operation }: Selection): DataColumn<Point>[] {
  const numbers = (point: Point) => operationOf(point, operation);
  if (!points.some((point) => (numbers(point)?.errors ?? 0) > 0)) return [];
  return [
    {
      id: 'errors',
      header: 'Errors',
      value: (point) => numbers(point)?.errors,
      cell: (point) => formatCount(numbers(point)?.errors),
      isNumber: true,
    },
    {
      id: 'failed',
      header: 'Failed',
      value: (point) => shareOf(numbers(point)),
      cell: (point) => <FailedCell numbers={numbers(point)} />,
      isNumber: true,
    },
  ];
}

function shareOf(numbers: PointOperation | null): number | null {
  return numbers && failedShare(numbers);
}

/** The share; on hover and focus how many, of which class. */
function FailedCell({ numbers }: { readonly numbers: PointOperation | null }): ReactElement {
  const failed = numbers ? failedOf(numbers) : undefined;
  if (!failed) return <>{formatPercent(shareOf(numbers))}</>;
  return (
    <Tooltip label={failed.text} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      <UnstyledButton className="has-details">{formatPercent(failed.share)}</UnstyledButton>
    </Tooltip>
  );
}

function trustColumns({ operation }: Selection): DataColumn<Point>[] {
  return [
    {
      id: 'trials',
      header: 'Trials',
      value: (point) => operationOf(point, operation)?.trials_counted ?? 0,
      cell: (point) => `${operationOf(point, operation)?.trials_counted ?? 0}/${point.trials.length}`,
      isNumber: true,
    },
    { id: 'trust', header: 'Trust', value: trustOf, cell: (point) => <TrustChip trust={trustOf(point)} /> },
  ];
}

/** The worst verdict among its trials; pending until one has ended, none when all have and nothing came of it. */
export function trustOf({ trials, total }: Point): Trust {
  if (total === null) {
    if (trials.some(({ trust }) => trust === 'void')) return 'void';
    return trials.length > 0 && trials.every(({ status }) => isTerminal(status)) ? 'none' : 'pending';
  }
  return trials.some(({ trust }) => trust === 'warn' || trust === 'void') ? 'warn' : 'pass';
}

function toMs(ns: number | null | undefined): number | null {
  return ns === null || ns === undefined ? null : ns / 1e6;
}

function bandText(band: { low: number | null; high: number | null } | undefined): string | null {
  return band && band.low !== null && band.high !== null
    ? `${formatRate(band.low)} – ${formatRate(band.high)}`
    : null;
}
