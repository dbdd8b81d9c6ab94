import type { ReactElement } from 'react';
import { ChartFrame, ParametricChart, ScaleToggle, type Zoom } from '@/components/charts';
import { curveCsv } from './CurveChart';
import { panelTitle } from './drawn';
import { logOf, percentileTitle } from './metrics';
import type { CurveView, Panel, Selection } from './selection';
import { parametricSentence } from './sentences';
import { latencyOverThroughput, shownLines } from './shape';

interface TradeOffChartProps {
  readonly panel: Panel;
  readonly selection: Selection;
  readonly view: CurveView;
  readonly hidden: ReadonlySet<string>;
  readonly zoom: Zoom | null;
  readonly fileLabel: string;
  readonly height: number;
  /** Of all panels: small multiples share both scales. */
  readonly shared?: { readonly x: readonly number[]; readonly y: readonly number[] };
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** What a throughput costs in time: the curve with the knee. */
export function TradeOffChart(props: TradeOffChartProps): ReactElement {
  const { panel, selection, view, hidden, zoom, fileLabel, height, onView } = props;
  const series = shownLines(latencyOverThroughput(panel.points, selection, zoom), hidden);
  const clock = selection.clock === 'response_time_ns' ? 'Response time' : 'Service time';
  const percentile = percentileTitle(selection.percentiles.at(-1) ?? 'p99');
  const title = `${clock} ${percentile} over throughput${panelTitle(panel)}`;
  const isLogTime = logOf('duration', view).isOn;
  return (
    <ChartFrame
      title={title}
      fileLabel={fileLabel}
      series={series}
      sentence={parametricSentence(series, 'duration')}
      csv={() => curveCsv(series, 'throughput_per_s')}
      toggles={
        <ScaleToggle label="log y" name={title} isOn={isLogTime} onChange={(logt) => onView({ logt })} />
      }
    >
      <ParametricChart
        name={title}
        height={height}
        series={series}
        x={{
          title: 'Throughput',
          quantity: 'rate',
          isLog: logOf('rate', view).isOn,
          values: props.shared?.x,
        }}
        y={{
          title: `${clock} ${percentile}`,
          quantity: 'duration',
          isLog: isLogTime,
          values: props.shared?.y,
        }}
      />
    </ChartFrame>
  );
}
