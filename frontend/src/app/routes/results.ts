import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import {
  alertsSearch,
  compareSearch,
  dashboardSearch,
  runSearch,
  trendSearch,
  trendsSearch,
} from '@/pages/search';
import { inside } from './inside';

export const run = createRoute({
  getParentRoute: () => inside,
  path: '/runs/$runId',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('@/pages/RunPage')),
});

export const compare = createRoute({
  getParentRoute: () => inside,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('@/pages/ComparePage')),
});

export const trends = createRoute({
  getParentRoute: () => inside,
  path: '/trends',
  validateSearch: trendsSearch,
  component: lazyRouteComponent(() => import('@/pages/TrendsPage')),
});

export const trend = createRoute({
  getParentRoute: () => inside,
  path: '/trends/$seriesId',
  validateSearch: trendSearch,
  component: lazyRouteComponent(() => import('@/pages/TrendPage')),
});

export const alerts = createRoute({
  getParentRoute: () => inside,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('@/pages/AlertsPage')),
});

export const alert = createRoute({
  getParentRoute: () => inside,
  path: '/alerts/$alertId',
  component: lazyRouteComponent(() => import('@/pages/AlertPage')),
});

export const dashboards = createRoute({
  getParentRoute: () => inside,
  path: '/dashboards',
  component: lazyRouteComponent(() => import('@/pages/DashboardsPage')),
});

export const dashboard = createRoute({
  getParentRoute: () => inside,
  path: '/dashboards/$dashboardId',
  validateSearch: dashboardSearch,
  component: lazyRouteComponent(() => import('@/pages/DashboardPage')),
});
