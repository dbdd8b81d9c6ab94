import { type ComponentProps, type ReactElement, useState } from 'react';
import { RunExports } from '@/features/bundles/RunExports';
import { Compare } from '@/features/compare/Compare';
import { DashboardView } from '@/features/dashboards/DashboardView';
import type { LinkFrame } from '@/features/link/LinkFrame';
import { EmbeddedCurves } from '@/features/run-curves/EmbeddedCurves';
import { RunHeader } from '@/features/run-header/RunHeader';
import { RunLoader } from '@/features/run-header/RunLoader';
import { VerdictLine } from '@/features/run-header/VerdictLine';
import { useRunPolling } from '@/features/run-seconds/useRunPolling';
import { TrendBoardPanel } from '@/features/trends/TrendBoardPanel';
import { TrendDetail } from '@/features/trends/TrendDetail';
import { renderPanel } from './dashboard-panels';
import { RunTabs } from './RunTabs';
import { compareSearch, runSearch, trendSearch } from './search';

interface SharedSubjectProps {
  readonly link: ComponentProps<typeof LinkFrame>['link'];
  readonly isEmbedded: boolean;
}

export function SharedSubject(props: SharedSubjectProps): ReactElement {
  const { subject, kind } = props.link;
  switch (kind) {
    case 'run':
      return (
        <RunLoader runId={String(subject.run_id)}>
          {(run) => <SharedRun key={run.id} run={run} {...props} />}
        </RunLoader>
      );
    case 'comparison':
      return <SharedComparison {...props} />;
    case 'trend':
      return <SharedTrend {...props} />;
    case 'dashboard':
      return (
        <DashboardView
          dashboardId={String(subject.dashboard_id)}
          isEditing={false}
          onEditing={() => undefined}
          render={renderPanel}
        />
      );
  }
}

/** Opens as the link says; what a visitor changes is theirs until they load the page again. */
function useOwnView<T extends object>(initial: T): [T, (patch: Partial<T>) => void] {
  const [view, setView] = useState(initial);
  return [view, (patch) => setView((current) => ({ ...current, ...patch }))];
}

interface SharedRunProps extends SharedSubjectProps {
  readonly run: ComponentProps<typeof RunTabs>['run'];
}

function SharedRun({ run, link, isEmbedded }: SharedRunProps): ReactElement {
  const [view, change] = useOwnView(runSearch(link.view));
  useRunPolling(run);
  if (isEmbedded) {
    return <EmbeddedCurves run={run} view={view} onView={change} verdict={<VerdictLine run={run} />} />;
  }
  return (
    <>
      <RunHeader run={run} connection="open" actions={<RunExports run={run} />} />
      <RunTabs run={run} view={view} onView={change} />
    </>
  );
}

function SharedComparison({ link }: SharedSubjectProps): ReactElement {
  const [view, change] = useOwnView<ComponentProps<typeof Compare>['view']>(compareSearch(link.view));
  return <Compare view={view} onView={change} />;
}

const TREND_HEIGHT = 420;

/** One trend with all that is known of it; several on one chart. */
function SharedTrend({ link }: SharedSubjectProps): ReactElement {
  const [view, change] = useOwnView(trendSearch(link.view));
  const ids = Array.isArray(link.subject.series_ids) ? link.subject.series_ids.map(String) : [];
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    return <TrendDetail seriesId={only} view={view} onView={change} />;
  }
  const board = {
    series_ids: ids,
    labels: [],
    metric: view.metric ?? 'throughput_per_s',
    operation: view.op ?? 'all',
    days: view.days ?? null,
    is_split_by_version: view.split ?? false,
  };
  return <TrendBoardPanel view={board} title={link.title} height={TREND_HEIGHT} />;
}
