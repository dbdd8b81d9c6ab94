import type { ReactElement } from 'react';
import type { RunPublished } from '@/api/recipes';
import type { Zoom } from '@/components/charts';
import { WhenVisible } from '@/components/WhenVisible';
import { CurveChart } from './CurveChart';
import { drawn, valuesOf } from './drawn';
import { type CurveMetric, OVERVIEW, throughputMetric, timesMetric } from './metrics';
import type { CurveView, Panel, Selection } from './selection';
import { latencyOverThroughput, shownLines } from './shape';
import { TradeOffChart } from './TradeOffChart';

export interface PanelsProps {
  readonly panels: readonly Panel[];
  readonly selection: Selection;
  readonly view: CurveView;
  /** Null for the overview. */
  readonly metric: CurveMetric | null;
  /** The line that all are divided by. */
  readonly base: string | null;
  readonly published: RunPublished;
  readonly hidden: ReadonlySet<string>;
  readonly zoom: Zoom | null;
  readonly fileLabel: string;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** Charts that are drawn at once; further ones when they come into sight. */
const AT_ONCE = 8;
const CHART_PX = { few: 300, many: 240 } as const;
const MANY = 3;

/** The overview's throughput, time, and time over throughput; or one metric. One chart for each panel. */
export function CurvePanels(props: PanelsProps): ReactElement {
  const { panels, selection, metric } = props;
  const metrics = metric ? [metric] : [throughputMetric(selection), timesMetric(selection)];
  const height = panels.length >= MANY ? CHART_PX.many : CHART_PX.few;
  const charts = [
    ...metrics.flatMap((one) => curveCharts(props, one, height)),
    ...(metric ? [] : tradeOffs(props, height)),
  ];
  return (
    <div className="chart-panels" data-many={panels.length >= MANY || undefined}>
      {charts.map(({ key, draw }, index) =>
        index < AT_ONCE ? (
          <div key={key}>{draw()}</div>
        ) : (
          <WhenVisible key={key} minHeight={height}>
            {draw}
          </WhenVisible>
        ),
      )}
    </div>
  );
}

interface Chart {
  readonly key: string;
  readonly draw: () => ReactElement;
}

function curveCharts(props: PanelsProps, metric: CurveMetric, height: number): Chart[] {
  const shaped = props.panels.map((panel) => drawn(props, panel, metric));
  // Small multiples share a scale.
  const shared = shaped.length > 1 ? shaped.flatMap(valuesOf) : undefined;
  // What cannot be divided says so in a line, below those that can.
  const ordered = [...shaped].sort((a, b) => Number(a.lacksBase !== null) - Number(b.lacksBase !== null));
  return ordered.map((one) => ({
    key: `${metric.name}${one.panel.key}`,
    draw: () => <CurveChart {...props} drawn={one} height={height} shared={shared} />,
  }));
}

function tradeOffs(props: PanelsProps, height: number): Chart[] {
  const { panels, selection, hidden, zoom } = props;
  // Axes with nothing between them say nothing.
  const filled = panels.filter((panel) =>
    latencyOverThroughput(panel.points, selection, null).some((line) => line.points.length > 0),
  );
  const points = filled.flatMap((panel) =>
    shownLines(latencyOverThroughput(panel.points, selection, zoom), hidden).flatMap((line) => line.points),
  );
  const shared = {
    x: points.map(({ x }) => x),
    y: points.flatMap(({ y }) => (y === null ? [] : [y])),
  };
  return filled.map((panel) => ({
    key: `${OVERVIEW}${panel.key}`,
    draw: () => (
      <TradeOffChart
        {...props}
        panel={panel}
        height={height}
        shared={panels.length > 1 ? shared : undefined}
      />
    ),
  }));
}
