import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { auditSearch } from '@/pages/search';
import { inside } from './inside';

export const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('@/pages/AccountPage')),
});

export const admin = createRoute({
  getParentRoute: () => inside,
  path: '/admin',
  component: lazyRouteComponent(() => import('@/pages/AdminPage')),
});

export const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('@/pages/SettingsPage')),
});

/** The tabs themselves have no page: the first of them opens. */
export const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/members' });
  },
});

export const settingsMembers = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: lazyRouteComponent(() => import('@/pages/SettingsMembersPage')),
});

export const settingsTokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyRouteComponent(() => import('@/pages/SettingsTokensPage')),
});

export const settingsSessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: lazyRouteComponent(() => import('@/pages/SettingsSessionsPage')),
});

export const settingsNotifications = createRoute({
  getParentRoute: () => settings,
  path: '/notifications',
  component: lazyRouteComponent(() => import('@/pages/SettingsNotificationsPage')),
});

export const settingsAudit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('@/pages/SettingsAuditPage')),
});
