import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import {
  ChartFrame,
  type ChartSeries,
  ParametricChart,
  type Quantity,
  ScaleToggle,
  XyChart,
  type Zoom,
} from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { describeParameter, parameterTitle } from '@/lib/parameters';
import type { CurveView, Panel, Selection } from './selection';
import { parametricSentence, throughputSentence, timeSentence, zeroSentence } from './sentences';
import { latencyOverThroughput, percentileTitle, shownSeries, throughputSeries, timeSeries } from './shape';

export interface PanelsProps {
  readonly panels: readonly Panel[];
  readonly selection: Selection;
  readonly hidden: ReadonlySet<string>;
  readonly zoom: Zoom | null;
  readonly fileLabel: string;
  readonly onView: (patch: Partial<CurveView>) => void;
}

interface CurveKind {
  readonly title: string;
  readonly axisTitle: string;
  readonly quantity: Quantity;
  readonly isLog: boolean;
  readonly logName: 'logy' | 'logt';
  readonly shape: (panel: Panel) => ChartSeries[];
  readonly sentence: (series: readonly ChartSeries[]) => string;
}

function kindsOf(selection: Selection): CurveKind[] {
  const clock = selection.clock === 'response_time_ns' ? 'Response time' : 'Service time';
  const names = selection.percentiles.map(percentileTitle).join(', ');
  return [
    {
      title: 'Throughput',
      axisTitle: 'Throughput',
      quantity: 'rate',
      isLog: selection.isLogThroughput,
      logName: 'logy',
      shape: (panel) => throughputSeries(panel.points, selection),
      sentence: (series) => throughputSentence(series, selection),
    },
    {
      title: `${clock} ${names}`,
      axisTitle: `${clock} ${names}`,
      quantity: 'duration',
      isLog: selection.isLogTime,
      logName: 'logt',
      shape: (panel) => timeSeries(panel.points, selection),
      sentence: (series) => timeSentence(series, selection),
    },
  ];
}

/** Throughput and time over the axis, then time over throughput; one row for each panel. */
export function CurvePanels(props: PanelsProps): ReactElement {
  const { panels, selection, hidden } = props;
  return (
    <div className="chart-panels">
      {kindsOf(selection).map((kind) => {
        const shaped = panels.map((panel) => shownSeries(kind.shape(panel), selection.targets, hidden));
        // Small multiples share a scale.
        const shared = panels.length > 1 ? allValues(shaped) : undefined;
        return panels.map((panel, index) => (
          <CurveChart
            key={`${kind.title}${panel.key}`}
            {...props}
            kind={kind}
            panel={panel}
            series={shaped[index] ?? []}
            shared={shared}
          />
        ));
      })}
      {panels.map((panel) => (
        <TradeOffChart key={`trade-off${panel.key}`} {...props} panel={panel} />
      ))}
    </div>
  );
}

function allValues(shaped: readonly ChartSeries[][]): number[] {
  return shaped
    .flat()
    .flatMap(({ points }) =>
      points.flatMap(({ y, low, high }) => [y, low, high].filter((value) => typeof value === 'number')),
    );
}

interface CurveChartProps extends PanelsProps {
  readonly kind: CurveKind;
  readonly panel: Panel;
  readonly series: readonly ChartSeries[];
  readonly shared?: readonly number[];
}

function CurveChart({
  kind,
  panel,
  series,
  selection,
  zoom,
  fileLabel,
  onView,
  shared,
}: CurveChartProps): ReactElement {
  const { axis, isLogX } = selection;
  const title = `${kind.title} over ${parameterTitle(axis.parameter)}${splitTitle(panel)}`;
  const zero = zeroSentence(series, kind.isLog, selection);
  return (
    <ChartFrame
      title={title}
      fileLabel={fileLabel}
      series={series}
      sentence={kind.sentence(series)}
      csv={() => curveCsv(series, axis.parameter)}
      note={zero && <Text size="xs">{zero}</Text>}
      toggles={
        <>
          <ScaleToggle label="log x" name={kind.title} isOn={isLogX} onChange={(logx) => onView({ logx })} />
          <ScaleToggle
            label="log y"
            name={kind.title}
            isOn={kind.isLog}
            onChange={(log) => onView({ [kind.logName]: log })}
          />
        </>
      }
    >
      <XyChart
        name={title}
        series={series}
        x={{ title: parameterTitle(axis.parameter), quantity: 'plain', isLog: isLogX, values: axis.values }}
        y={{ title: kind.axisTitle, quantity: kind.quantity, isLog: kind.isLog, values: shared }}
        zoom={zoom}
        onZoom={(next) => onView({ zoom: next ?? undefined })}
        syncId="run-curves"
      />
    </ChartFrame>
  );
}

function TradeOffChart({
  panel,
  selection,
  hidden,
  zoom,
  fileLabel,
  onView,
}: PanelsProps & { panel: Panel }): ReactElement {
  const series = shownSeries(latencyOverThroughput(panel.points, selection, zoom), selection.targets, hidden);
  const clock = selection.clock === 'response_time_ns' ? 'Response time' : 'Service time';
  const percentile = percentileTitle(selection.percentiles.at(-1) ?? 'p99');
  const title = `${clock} ${percentile} over throughput${splitTitle(panel)}`;
  return (
    <ChartFrame
      title={title}
      fileLabel={fileLabel}
      series={series}
      sentence={parametricSentence(series, 'duration')}
      csv={() => curveCsv(series, 'throughput_per_s')}
      toggles={
        <ScaleToggle
          label="log y"
          name={title}
          isOn={selection.isLogTime}
          onChange={(logt) => onView({ logt })}
        />
      }
    >
      <ParametricChart
        name={title}
        series={series}
        x={{ title: 'Throughput', quantity: 'rate', isLog: selection.isLogThroughput }}
        y={{ title: `${clock} ${percentile}`, quantity: 'duration', isLog: selection.isLogTime }}
      />
    </ChartFrame>
  );
}

function splitTitle({ split }: Panel): string {
  return split ? `, ${describeParameter(split.parameter, split.value)}` : '';
}

function curveCsv(series: readonly ChartSeries[], axis: string): string {
  const rows = series.flatMap(({ label, points }) =>
    points.map(({ x, y, low, high, trialsCounted, trust, label: place }) => [
      label,
      x,
      place,
      y,
      low,
      high,
      trialsCounted,
      trust,
    ]),
  );
  return toCsv(['line', axis, 'at', 'value', 'low', 'high', 'trials', 'trust'], rows);
}
