import type { ComponentProps, ReactElement } from 'react';
import type { RenderPanel } from '@/features/dashboards/BoardGrid';
import { ComparisonPanel } from '@/features/dashboards/ComparisonPanel';
import { RunPanel } from '@/features/dashboards/RunPanel';
import { TextPanel } from '@/features/dashboards/TextPanel';
import { TrendBoardPanel } from '@/features/trends/TrendBoardPanel';

/** What stands in a panel, by its kind: the parts come from several features. */
export const renderPanel: RenderPanel = (panel, height): ReactElement => {
  const title = panel.title ?? '';
  const { view } = panel;
  switch (view.kind) {
    case 'trend':
      return <TrendBoardPanel view={trendOf(view)} title={title} height={height} />;
    case 'run':
      return <RunPanel view={view} title={title} height={height} />;
    case 'comparison':
      return <ComparisonPanel view={view} title={title} height={height} />;
    case 'text':
      return <TextPanel title={title} markdown={view.markdown} />;
  }
};

type BoardTrend = ComponentProps<typeof TrendBoardPanel>['view'];

/** What the api fills in where it was left out. */
function trendOf(view: Partial<BoardTrend>): BoardTrend {
  return {
    series_ids: view.series_ids ?? [],
    labels: view.labels ?? [],
    metric: view.metric ?? 'throughput_per_s',
    operation: view.operation ?? 'all',
    days: view.days ?? null,
    is_split_by_version: view.is_split_by_version ?? false,
  };
}
