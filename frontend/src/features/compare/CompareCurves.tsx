import { Group, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Comparison } from '@/api/comparisons';
import {
  ChartFrame,
  ChartLegend,
  type ChartSeries,
  formatQuantity,
  ScaleToggle,
  XyChart,
} from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { quantityOfUnit } from '@/lib/metrics';
import { parameterTitle } from '@/lib/parameters';
import { axesOf, curveSeries } from './cells';
import type { ComparePage } from './view';

interface CompareCurvesProps extends ComparePage {
  readonly found: Comparison;
}

/** All sides over one axis, with the bands of their trials. */
export function CompareCurves({ found, view, onView }: CompareCurvesProps): ReactElement | null {
  const axes = axesOf(found);
  const axis = axes.find((name) => name === view.axis) ?? axes[0];
  if (axis === undefined) return null;
  return (
    <>
      <Group justify="space-between">
        <SidesLegend found={found} axis={axis} view={view} onView={onView} />
        {axes.length > 1 && (
          <Select
            size="xs"
            aria-label="Axis"
            allowDeselect={false}
            data={axes.map((name) => ({ value: name, label: parameterTitle(name) }))}
            value={axis}
            onChange={(next) => onView({ axis: next ?? undefined })}
          />
        )}
      </Group>
      <div className="chart-panels">
        {found.metrics.map((metric) => (
          <MetricCurves
            key={metric.name}
            found={found}
            metric={metric}
            axis={axis}
            view={view}
            onView={onView}
          />
        ))}
      </div>
    </>
  );
}

interface OnAxisProps extends CompareCurvesProps {
  readonly axis: string;
}

function SidesLegend({ found, axis, view, onView }: OnAxisProps): ReactElement {
  const hidden = new Set(view.hide ?? []);
  const all = curveSeries(found, found.metrics[0]?.name ?? '', axis);
  const hide = (keys: readonly string[]) => onView({ hide: keys.length > 0 ? keys : undefined });
  return (
    <ChartLegend
      series={all}
      hidden={hidden}
      onToggle={(key) => hide(hidden.has(key) ? [...hidden].filter((one) => one !== key) : [...hidden, key])}
      onIsolate={(key) => hide(all.map((one) => one.key).filter((one) => one !== key))}
    />
  );
}

interface MetricCurvesProps extends OnAxisProps {
  readonly metric: Comparison['metrics'][number];
}

function MetricCurves({ found, metric, axis, view, onView }: MetricCurvesProps): ReactElement {
  const series = curveSeries(found, metric.name, axis).filter(({ key }) => !view.hide?.includes(key));
  const quantity = quantityOfUnit(metric.unit);
  const isLogX = view.logx ?? true;
  const isLogY = view.logy ?? quantity === 'duration';
  const title = `${metric.title} over ${parameterTitle(axis)}`;
  return (
    <ChartFrame
      title={title}
      fileLabel="comparison"
      series={series}
      sentence={sentenceOf(series, quantity)}
      csv={() => curvesCsv(series, axis, metric.name)}
      toggles={
        <>
          <ScaleToggle label="log x" name={title} isOn={isLogX} onChange={(logx) => onView({ logx })} />
          <ScaleToggle label="log y" name={title} isOn={isLogY} onChange={(logy) => onView({ logy })} />
        </>
      }
    >
      <XyChart
        name={title}
        series={series}
        x={{ title: parameterTitle(axis), quantity: 'plain', isLog: isLogX }}
        y={{ title: metric.title, quantity, isLog: isLogY }}
        syncId="compare-curves"
      />
    </ChartFrame>
  );
}

function sentenceOf(series: readonly ChartSeries[], quantity: ReturnType<typeof quantityOfUnit>): string {
  const parts = series.flatMap(({ label, points }) => {
    const values = points.flatMap(({ y }) => (y === null ? [] : [y]));
    if (values.length === 0) return [];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [`${label} from ${formatQuantity(low, quantity)} to ${formatQuantity(high, quantity)}`];
  });
  return parts.length > 0
    ? `${parts.join('; ')}. Bands from the lowest to the highest trial.`
    : 'Nothing was measured.';
}

function curvesCsv(series: readonly ChartSeries[], axis: string, metric: string): string {
  const rows = series.flatMap(({ label, points }) =>
    points.map(({ x, y, low, high, trialsCounted }) => [label, x, y, low, high, trialsCounted]),
  );
  return toCsv(['side', axis, metric, 'low', 'high', 'trials'], rows);
}
