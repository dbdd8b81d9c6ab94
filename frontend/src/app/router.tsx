import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { PageSkeleton } from '@/components/Skeletons';
import { PageFault } from './PageFault';
import { inside } from './routes/inside';
import * as open from './routes/open';
import * as results from './routes/results';
import { root } from './routes/root';
import * as settings from './routes/settings';
import * as work from './routes/work';

const routeTree = root.addChildren([
  open.signIn,
  open.invite,
  open.shared,
  open.embed,
  inside.addChildren([
    work.home,
    work.runs,
    work.newRun,
    results.run,
    work.recipes,
    work.recipe,
    work.plans,
    work.schedules,
    work.queue,
    results.compare,
    results.trends,
    results.trend,
    results.alerts,
    results.alert,
    results.dashboards,
    results.dashboard,
    work.targets,
    work.agents,
    settings.account,
    settings.admin,
    settings.settings.addChildren([
      settings.settingsStart,
      settings.settingsMembers,
      settings.settingsTokens,
      settings.settingsSessions,
      settings.settingsNotifications,
      settings.settingsAudit,
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
