import { MultiSelect, Stack, Title } from '@mantine/core';
import { type ReactElement, useMemo } from 'react';
import type { Sample } from '@/api/runs';
import type { CounterName, TelemetryItem, TelemetryMark } from '@/api/telemetry';
import {
  ChartFrame,
  type ChartMark,
  type ChartSeries,
  formatQuantity,
  LineNames,
  type Quantity,
  XyChart,
} from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { EventList } from './EventList';
import { type SecondsView, timeAxisOf } from './SecondsCharts';
import { deathsOf, marksOf } from './telemetry-marks';
import { defaultCounters, panelsOf, placeSeconds, seriesOf, type TelemetryPanel } from './telemetry-series';

interface TelemetryChartsProps {
  readonly samples: readonly Sample[];
  readonly seen: {
    readonly items: readonly TelemetryItem[];
    readonly events: readonly TelemetryMark[];
    readonly names: readonly CounterName[];
  };
  /** Counters by name; the liveliest unless somebody chose. */
  readonly counters: readonly string[] | undefined;
  /** Left out where nothing can be chosen. */
  readonly onCounters?: (names: string[]) => void;
  /** Only these charts, by their keys; all of them unless said otherwise. */
  readonly only?: readonly string[];
  readonly fileLabel: string;
  readonly view: SecondsView;
  readonly height: number;
}

/** Store and host under the trial's own charts, on the same time axis. */
export function TelemetryCharts(props: TelemetryChartsProps): ReactElement | null {
  const { samples, seen, counters, only } = props;
  const placed = useMemo(() => placeSeconds(seen.items, samples), [seen.items, samples]);
  const chosen = counters ?? defaultCounters(placed.items, seen.names);
  const marks = marksOf(seen.events, samples);
  const deaths = deathsOf(seen.events, samples);
  // The trial's own charts above name them; eight times the same names would hide the lines.
  const unnamed = marks.map((mark) => ({ ...mark, short: '' }));
  const panels = panelsOf(placed.items, seen.names, chosen).filter(({ key }) => !only || only.includes(key));
  if (panels.length === 0 && marks.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Store and host">
      {props.onCounters && (
        <>
          <Title order={2} size="h5">
            Store and host
          </Title>
          <CounterChoice names={seen.names} chosen={chosen} onCounters={props.onCounters} />
        </>
      )}
      <div className="chart-panels">
        {panels.map((panel) => (
          <PanelChart
            key={panel.key}
            panel={panel}
            series={seriesOf(panel, placed.items, placed.xs, deaths)}
            marks={unnamed}
            axis={timeAxisOf(samples, props.view, props.height)}
            fileLabel={props.fileLabel}
          />
        ))}
      </div>
      {!only && <EventList events={seen.events} samples={samples} csvName={`${props.fileLabel}-events`} />}
    </Stack>
  );
}

interface CounterChoiceProps {
  readonly names: readonly CounterName[];
  readonly chosen: readonly string[];
  readonly onCounters: (names: string[]) => void;
}

function CounterChoice({ names, chosen, onCounters }: CounterChoiceProps): ReactElement | null {
  if (names.length === 0) return null;
  return (
    <MultiSelect
      size="xs"
      label="Counters of the store"
      searchable
      data={names.map(({ name, title }) => ({ value: name, label: title }))}
      value={chosen.filter((name) => names.some((known) => known.name === name))}
      onChange={onCounters}
    />
  );
}

interface PanelChartProps {
  readonly panel: TelemetryPanel;
  readonly series: readonly ChartSeries[];
  readonly marks: readonly ChartMark[];
  readonly axis: ReturnType<typeof timeAxisOf>;
  readonly fileLabel: string;
}

function PanelChart({ panel, series, marks, axis, fileLabel }: PanelChartProps): ReactElement {
  return (
    <ChartFrame
      title={panel.title}
      fileLabel={fileLabel}
      series={series}
      sentence={describe(series, panel.quantity)}
      csv={() => panelCsv(series)}
    >
      {series.length > 1 && <LineNames series={series} />}
      <XyChart
        {...axis}
        name={`${panel.title} over time`}
        series={series}
        marks={marks}
        y={{ title: panel.axis, quantity: panel.quantity, isLog: false }}
      />
    </ChartFrame>
  );
}

function describe(series: readonly ChartSeries[], quantity: Quantity): string {
  const parts = series.map(({ label, points }) => {
    const values = points.flatMap(({ y }) => (y === null ? [] : [y]));
    const highest = values.reduce((most, value) => Math.max(most, value), 0);
    return `${label}: highest ${formatQuantity(highest, quantity)}, last ${formatQuantity(values.at(-1), quantity)}`;
  });
  return `${parts.join('; ')}.`;
}

function panelCsv(series: readonly ChartSeries[]): string {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const columns = series.map(({ points }) => new Map(points.map(({ x, y }) => [x, y])));
  const header = ['time_s', ...series.map(({ key }) => key)];
  return toCsv(
    header,
    xs.map((x) => [x, ...columns.map((column) => column.get(x))]),
  );
}
