import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signInSearch } from '@/pages/search';
import { root } from './root';

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('@/pages/SignInPage')),
});

/** Open to whoever has the link. */
export const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('@/pages/InvitePage')),
});

/** What a link shows, to anyone who has it. */
export const shared = createRoute({
  getParentRoute: () => root,
  path: '/s/$token',
  component: lazyRouteComponent(() => import('@/pages/SharedPage')),
});

export const embed = createRoute({
  getParentRoute: () => root,
  path: '/embed/$token',
  component: lazyRouteComponent(() => import('@/pages/EmbedPage')),
});
