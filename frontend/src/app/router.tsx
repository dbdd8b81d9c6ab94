import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from '@/api/session';
import { PageSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { tablesSearch } from '@/lib/table-views';
import {
  alertsSearch,
  auditSearch,
  compareSearch,
  dashboardSearch,
  newRunSearch,
  plansSearch,
  queueSearch,
  runSearch,
  runsSearch,
  schedulesSearch,
  signInSearch,
  targetsSearch,
  trendSearch,
  trendsSearch,
} from '@/pages/search';
import { PageFault, PageMissing } from './PageFault';
import { Shell } from './Shell';

export interface RouterContext {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  validateSearch: tablesSearch,
  component: Outlet,
  notFoundComponent: PageMissing,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('@/pages/SignInPage')),
});

/** What a link shows, to anyone who has it. */
const shared = createRoute({
  getParentRoute: () => root,
  path: '/s/$token',
  component: lazyRouteComponent(() => import('@/pages/SharedPage')),
});
const embed = createRoute({
  getParentRoute: () => root,
  path: '/embed/$token',
  component: lazyRouteComponent(() => import('@/pages/EmbedPage')),
});

/** Open to whoever has the link. */
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('@/pages/InvitePage')),
});

/** Everything else needs a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery);
    } catch (error) {
      if (toProblem(error).status !== 401) throw error;
      const next = location.href === '/' ? undefined : location.href;
      throw redirect({ to: '/sign-in', search: { next } });
    }
  },
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('@/pages/HomePage')),
});
const runs = createRoute({
  getParentRoute: () => inside,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('@/pages/RunsPage')),
});
const newRun = createRoute({
  getParentRoute: () => inside,
  path: '/runs/new',
  validateSearch: newRunSearch,
  component: lazyRouteComponent(() => import('@/pages/NewRunPage')),
});
const run = createRoute({
  getParentRoute: () => inside,
  path: '/runs/$runId',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('@/pages/RunPage')),
});
const compare = createRoute({
  getParentRoute: () => inside,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('@/pages/ComparePage')),
});
const trends = createRoute({
  getParentRoute: () => inside,
  path: '/trends',
  validateSearch: trendsSearch,
  component: lazyRouteComponent(() => import('@/pages/TrendsPage')),
});
const trend = createRoute({
  getParentRoute: () => inside,
  path: '/trends/$seriesId',
  validateSearch: trendSearch,
  component: lazyRouteComponent(() => import('@/pages/TrendPage')),
});
const alerts = createRoute({
  getParentRoute: () => inside,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('@/pages/AlertsPage')),
});
const alert = createRoute({
  getParentRoute: () => inside,
  path: '/alerts/$alertId',
  component: lazyRouteComponent(() => import('@/pages/AlertPage')),
});
const dashboards = createRoute({
  getParentRoute: () => inside,
  path: '/dashboards',
  component: lazyRouteComponent(() => import('@/pages/DashboardsPage')),
});
const dashboard = createRoute({
  getParentRoute: () => inside,
  path: '/dashboards/$dashboardId',
  validateSearch: dashboardSearch,
  component: lazyRouteComponent(() => import('@/pages/DashboardPage')),
});
const targets = createRoute({
  getParentRoute: () => inside,
  path: '/targets',
  validateSearch: targetsSearch,
  component: lazyRouteComponent(() => import('@/pages/TargetsPage')),
});
const plans = createRoute({
  getParentRoute: () => inside,
  path: '/plans',
  validateSearch: plansSearch,
  component: lazyRouteComponent(() => import('@/pages/PlansPage')),
});
const schedules = createRoute({
  getParentRoute: () => inside,
  path: '/schedules',
  validateSearch: schedulesSearch,
  component: lazyRouteComponent(() => import('@/pages/SchedulesPage')),
});
const queue = createRoute({
  getParentRoute: () => inside,
  path: '/queue',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('@/pages/QueuePage')),
});
const agents = createRoute({
  getParentRoute: () => inside,
  path: '/agents',
  component: lazyRouteComponent(() => import('@/pages/AgentsPage')),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('@/pages/AccountPage')),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('@/pages/SettingsPage')),
});
/** The tabs themselves have no page: the first of them opens. */
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/members' });
  },
});
const settingsMembers = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: lazyRouteComponent(() => import('@/pages/SettingsMembersPage')),
});
const settingsSessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: lazyRouteComponent(() => import('@/pages/SettingsSessionsPage')),
});
const settingsAudit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('@/pages/SettingsAuditPage')),
});
const admin = createRoute({
  getParentRoute: () => inside,
  path: '/admin',
  component: lazyRouteComponent(() => import('@/pages/AdminPage')),
});
const settingsTokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyRouteComponent(() => import('@/pages/SettingsTokensPage')),
});
const settingsNotifications = createRoute({
  getParentRoute: () => settings,
  path: '/notifications',
  component: lazyRouteComponent(() => import('@/pages/SettingsNotificationsPage')),
});

const routeTree = root.addChildren([
  signIn,
  invite,
  shared,
  embed,
  inside.addChildren([
    home,
    runs,
    newRun,
    run,
    plans,
    schedules,
    queue,
    compare,
    trends,
    trend,
    alerts,
    alert,
    dashboards,
    dashboard,
    targets,
    agents,
    account,
    admin,
    settings.addChildren([
      settingsStart,
      settingsMembers,
      settingsTokens,
      settingsSessions,
      settingsNotifications,
      settingsAudit,
    ]),
  ]),
]);

/** @param history where it is not the browser's own */
export function makeRouter(queries: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    history,
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: PageSkeleton,
    defaultPendingMs: 300,
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
