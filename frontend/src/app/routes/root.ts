import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { tablesSearch } from '@/lib/table-views';
import { PageMissing } from '../PageFault';

export interface RouterContext {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<RouterContext>()({
  validateSearch: tablesSearch,
  component: Outlet,
  notFoundComponent: PageMissing,
});
