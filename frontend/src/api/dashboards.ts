import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Dashboard = Schemas['Dashboard'];
export type DashboardItem = Schemas['DashboardItem'];
export type Panel = Dashboard['panels'][number];
export type PanelView = Panel['view'];
export type TrendView = Schemas['TrendView'];
export type RunView = Schemas['RunView'];
export type ComparisonView = Schemas['ComparisonView'];
export type TextView = Schemas['TextView'];
/** What is written: the same for a new one and for the next version. */
export type DashboardContent = Schemas['CreateDashboard'];

export function dashboardsQuery(filter: { readonly isPinned?: boolean } = {}) {
  return infiniteQueryOptions({
    queryKey: ['dashboards', 'list', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      dataOf(
        client.GET('/api/v1/dashboards', {
          params: { query: { is_pinned: filter.isPinned, cursor: pageParam ?? undefined, limit: 100 } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
}

export function dashboardQuery(dashboardId: string) {
  return queryOptions({
    queryKey: ['dashboards', dashboardId],
    queryFn: () => readDashboard(dashboardId),
  });
}

export function readDashboard(dashboardId: string): Promise<Dashboard> {
  return dataOf(
    client.GET('/api/v1/dashboards/{dashboard_id}', { params: { path: { dashboard_id: dashboardId } } }),
  );
}

export function createDashboard(body: DashboardContent): Promise<Dashboard> {
  return dataOf(
    client.POST('/api/v1/dashboards', { params: { header: { 'idempotency-key': requestId() } }, body }),
  );
}

/** @param version the one that `content` was made from; another's save in between is refused as `dashboard_changed` */
export function saveDashboard(
  dashboardId: string,
  version: number,
  content: DashboardContent,
): Promise<Dashboard> {
  return dataOf(
    client.PUT('/api/v1/dashboards/{dashboard_id}', {
      params: { path: { dashboard_id: dashboardId } },
      body: { ...content, version },
    }),
  );
}

export async function deleteDashboard(dashboardId: string): Promise<void> {
  await client.DELETE('/api/v1/dashboards/{dashboard_id}', {
    params: { path: { dashboard_id: dashboardId } },
  });
}

/** What a save writes of a dashboard. */
export function contentOf({ name, refresh_s, is_pinned, panels }: Dashboard): DashboardContent {
  return { name, refresh_s, is_pinned, panels };
}

export function versionsQuery(dashboardId: string) {
  return queryOptions({
    queryKey: ['dashboards', dashboardId, 'versions'],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/dashboards/{dashboard_id}/versions', {
          params: { path: { dashboard_id: dashboardId } },
        }),
      ),
  });
}

export function readVersion(dashboardId: string, version: number): Promise<Dashboard> {
  return dataOf(
    client.GET('/api/v1/dashboards/{dashboard_id}', {
      params: { path: { dashboard_id: dashboardId }, query: { version } },
    }),
  );
}
