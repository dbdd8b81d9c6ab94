import { Stack, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { dashboardQuery, dashboardsQuery } from '@/api/dashboards';
import { TextLink } from '@/components/links';
import { ChartSkeleton } from '@/components/Skeletons';
import { BoardGrid, type RenderPanel } from './BoardGrid';
import { useAutoRefresh } from './useAutoRefresh';

/** More would make the home page a wall. */
const SHOWN = 3;

/** The dashboards that the team put on its home page. */
export function PinnedDashboards({ render }: { readonly render: RenderPanel }): ReactElement | null {
  const pinned = useInfiniteQuery(dashboardsQuery({ isPinned: true }));
  const items = pinned.data?.pages[0]?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Stack gap="lg">
      {items.slice(0, SHOWN).map(({ id, name, refresh_s }) => (
        <section key={id} aria-label={name}>
          <Title order={2} size="h4" mb="xs" className="run-name">
            <TextLink to="/dashboards/$dashboardId" params={{ dashboardId: id }} inherit>
              {name}
            </TextLink>
          </Title>
          <PinnedBoard dashboardId={id} refreshS={refresh_s} render={render} />
        </section>
      ))}
    </Stack>
  );
}

interface PinnedBoardProps {
  readonly dashboardId: string;
  readonly refreshS: number | null;
  readonly render: RenderPanel;
}

function PinnedBoard({ dashboardId, refreshS, render }: PinnedBoardProps): ReactElement {
  const dashboard = useQuery(dashboardQuery(dashboardId));
  useAutoRefresh(refreshS);
  return dashboard.data ? (
    <BoardGrid panels={dashboard.data.panels} render={render} />
  ) : (
    <ChartSkeleton height={200} />
  );
}
