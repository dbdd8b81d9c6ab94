import type { ReactElement } from 'react';
import type { Sample } from '@/api/runs';
import {
  ChartFrame,
  type ChartMark,
  type ChartSeries,
  LineNames,
  linearScale,
  ScaleToggle,
  XyChart,
  type Zoom,
} from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { countNoun, formatNs, formatRate } from '@/lib/format';
import {
  type Clock,
  failedSeries,
  phaseSpans,
  secondsLimit,
  secondsWithRate,
  throughputSeries,
  timeSeries,
  totalErrors,
  totalThroughput,
} from './seconds-series';

export interface SecondsView {
  readonly isLogTime: boolean;
  readonly onLogTime: (isLog: boolean) => void;
  readonly zoom: Zoom | null;
  /** Where the axis ends, when no second is to come. */
  readonly until?: number;
  readonly onZoom?: (zoom: Zoom | null) => void;
}

interface SecondsChartsProps {
  readonly samples: readonly Sample[];
  readonly lookIndex: number;
  readonly operation: string | null;
  readonly clock: Clock;
  readonly fileLabel: string;
  readonly view: SecondsView;
  readonly height: number;
  /** What happened in store and host. */
  readonly marks?: readonly ChartMark[];
}

/** Throughput and response time of one trial, second by second, on one time axis. */
export function SecondsCharts(props: SecondsChartsProps): ReactElement {
  return (
    <div className="chart-panels">
      <ThroughputChart {...props} />
      <TimesChart {...props} />
    </div>
  );
}

function ThroughputChart(props: SecondsChartsProps): ReactElement {
  const { samples, lookIndex } = props;
  const answered = throughputSeries(samples, lookIndex, 'all operations');
  const failed = failedSeries(samples, lookIndex + 1, 'failed or refused');
  const series = totalErrors(samples) > 0 ? [answered, failed] : [answered];
  return (
    <ChartFrame
      title="Throughput, second by second"
      fileLabel={props.fileLabel}
      series={series}
      sentence={throughputSentence(props.samples)}
      csv={() => secondsCsv(series)}
    >
      {series.length > 1 && <LineNames series={series} />}
      <XyChart
        {...timeAxisOf(props.samples, props.view, props.height)}
        name="Throughput over time"
        series={series}
        marks={props.marks}
        y={{ title: 'Throughput', quantity: 'rate', isLog: false }}
      />
    </ChartFrame>
  );
}

function TimesChart(props: SecondsChartsProps): ReactElement {
  const { operation, clock, view } = props;
  const series = timeSeries(props.samples, props.lookIndex, operation, clock);
  const title = clock === 'response_time_ns' ? 'Response time' : 'Service time';
  return (
    <ChartFrame
      title={`${title} of ${operation ?? 'operations'}, p50 and p99`}
      fileLabel={props.fileLabel}
      series={series}
      sentence={timeSentence(series)}
      csv={() => secondsCsv(series)}
      toggles={
        <ScaleToggle
          label="log y"
          name={`${title} over time`}
          isOn={view.isLogTime}
          onChange={view.onLogTime}
        />
      }
    >
      <XyChart
        {...timeAxisOf(props.samples, props.view, props.height)}
        name={`${title} over time`}
        series={series}
        marks={props.marks}
        y={{ title, quantity: 'duration', isLog: view.isLogTime }}
      />
    </ChartFrame>
  );
}

/** The axis that all charts of a trial share, with one cursor and one zoom. */
export function timeAxisOf(samples: readonly Sample[], view: SecondsView, height: number) {
  const whole = linearScale([0, view.until ?? secondsLimit(samples)], { fromZero: true });
  return {
    height,
    syncId: 'seconds',
    spans: phaseSpans(samples),
    zoom: view.zoom,
    onZoom: view.onZoom,
    x: { title: 'Time', quantity: 'seconds', isLog: false } as const,
    xLimits: view.zoom ? { domain: [...view.zoom] as [number, number], ticks: ticksIn(view.zoom) } : whole,
  };
}

function ticksIn([from, to]: Zoom): number[] {
  return linearScale([from, to], { fromZero: false }).ticks.filter((tick) => tick >= from && tick <= to);
}

function throughputSentence(samples: readonly Sample[]): string {
  const measured = [...secondsWithRate(samples)].filter(({ phase }) => phase === 'measure');
  const rates = measured.map(totalThroughput);
  if (rates.length === 0) return `${countNoun(samples.length, 'second')} so far, none of them measured yet.`;
  const range = `between ${formatRate(Math.min(...rates))} and ${formatRate(Math.max(...rates))} ops/s`;
  const errors = totalErrors(samples);
  const failed = errors > 0 ? ` ${countNoun(errors, 'operation')} failed or were refused.` : '';
  return `${countNoun(rates.length, 'measured second')}: ${range}, last ${formatRate(rates.at(-1))}.${failed}`;
}

function timeSentence(series: readonly ChartSeries[]): string {
  const parts = series.map(({ label, points }) => {
    const values = points.flatMap(({ y }) => (y === null ? [] : [y]));
    if (values.length === 0) return `${label}: no answers yet`;
    return `${label}: last ${formatNs(values.at(-1))}, highest second ${formatNs(Math.max(...values))}`;
  });
  return `${parts.join('; ')}.`;
}

function secondsCsv(series: readonly ChartSeries[]): string {
  const rows = (series[0]?.points ?? [])
    .map((point, index) => [point.x, point.label, ...series.map(({ points }) => points[index]?.y)])
    // Between phases the line has a break, which is no second.
    .filter(([, , ...values]) => values.some((value) => typeof value === 'number'));
  return toCsv(['time_s', 'phase', ...series.map(({ label }) => label)], rows);
}
