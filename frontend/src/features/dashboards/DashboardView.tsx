import { Stack } from '@mantine/core';
import { IconLayoutDashboard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { type Dashboard, dashboardQuery } from '@/api/dashboards';
import { FailureState } from '@/components/FailureState';
import { PageSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { BoardGrid, type RenderPanel } from './BoardGrid';
import { DashboardEditor } from './DashboardEditor';
import { DashboardHeader } from './DashboardHeader';
import { useAutoRefresh } from './useAutoRefresh';

interface DashboardViewProps {
  readonly dashboardId: string;
  readonly isEditing: boolean;
  readonly onEditing: (isEditing: boolean) => void;
  readonly render: RenderPanel;
  /** Beside the dashboard's own: what other features can do with it. */
  readonly actions?: (dashboard: Dashboard) => ReactNode;
}

export function DashboardView(props: DashboardViewProps): ReactElement {
  const dashboard = useQuery(dashboardQuery(props.dashboardId));
  if (dashboard.isPending) return <PageSkeleton />;
  if (!dashboard.data) {
    const { code, detail } = toProblem(dashboard.error);
    return (
      <FailureState
        what="The dashboard could not be read"
        code={code}
        detail={detail}
        onRetry={() => dashboard.refetch()}
      />
    );
  }
  return props.isEditing ? (
    <DashboardEditor saved={dashboard.data} render={props.render} onDone={() => props.onEditing(false)} />
  ) : (
    <ShownDashboard {...props} dashboard={dashboard.data} />
  );
}

interface ShownDashboardProps extends DashboardViewProps {
  readonly dashboard: Dashboard;
}

function ShownDashboard({ dashboard, onEditing, render, actions }: ShownDashboardProps): ReactElement {
  const board = useRef<HTMLDivElement>(null);
  const refresh = useAutoRefresh(dashboard.refresh_s);
  return (
    <div ref={board} className="board">
      <Stack gap="sm">
        <DashboardHeader
          dashboard={dashboard}
          actions={actions?.(dashboard)}
          refreshedAt={refresh.refreshedAt}
          onRefresh={refresh.now}
          onEdit={() => onEditing(true)}
          onFullScreen={() => void toggleFullScreen(board.current)}
        />
        {dashboard.panels.length === 0 ? (
          <TeachingState
            icon={IconLayoutDashboard}
            title="An empty dashboard"
            text="Edit it to add panels, or use “Add to dashboard” on a trend."
          />
        ) : (
          <BoardGrid panels={dashboard.panels} render={render} />
        )}
      </Stack>
    </div>
  );
}

async function toggleFullScreen(board: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await board?.requestFullscreen();
}
