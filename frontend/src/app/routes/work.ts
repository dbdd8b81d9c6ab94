import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import {
  newRunSearch,
  plansSearch,
  queueSearch,
  recipeSearch,
  recipesSearch,
  runsSearch,
  schedulesSearch,
  targetsSearch,
} from '@/pages/search';
import { inside } from './inside';

export const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('@/pages/HomePage')),
});

export const runs = createRoute({
  getParentRoute: () => inside,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('@/pages/RunsPage')),
});

export const newRun = createRoute({
  getParentRoute: () => inside,
  path: '/runs/new',
  validateSearch: newRunSearch,
  component: lazyRouteComponent(() => import('@/pages/NewRunPage')),
});

export const plans = createRoute({
  getParentRoute: () => inside,
  path: '/plans',
  validateSearch: plansSearch,
  component: lazyRouteComponent(() => import('@/pages/PlansPage')),
});

export const recipes = createRoute({
  getParentRoute: () => inside,
  path: '/recipes',
  validateSearch: recipesSearch,
  component: lazyRouteComponent(() => import('@/pages/RecipesPage')),
});

export const recipe = createRoute({
  getParentRoute: () => inside,
  path: '/recipes/$slug',
  validateSearch: recipeSearch,
  component: lazyRouteComponent(() => import('@/pages/RecipePage')),
});

export const schedules = createRoute({
  getParentRoute: () => inside,
  path: '/schedules',
  validateSearch: schedulesSearch,
  component: lazyRouteComponent(() => import('@/pages/SchedulesPage')),
});

export const queue = createRoute({
  getParentRoute: () => inside,
  path: '/queue',
  validateSearch: queueSearch,
  component: lazyRouteComponent(() => import('@/pages/QueuePage')),
});

export const targets = createRoute({
  getParentRoute: () => inside,
  path: '/targets',
  validateSearch: targetsSearch,
  component: lazyRouteComponent(() => import('@/pages/TargetsPage')),
});

export const agents = createRoute({
  getParentRoute: () => inside,
  path: '/agents',
  component: lazyRouteComponent(() => import('@/pages/AgentsPage')),
});
