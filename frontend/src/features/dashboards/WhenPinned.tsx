import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, Suspense } from 'react';
import { dashboardsQuery } from '@/api/dashboards';
import { ChartSkeleton } from '@/components/Skeletons';

/** Its children where the team has pinned a dashboard; they may be loaded then. */
export function WhenPinned({ children }: { readonly children: ReactNode }): ReactElement | null {
  const pinned = useInfiniteQuery(dashboardsQuery({ isPinned: true }));
  const hasAny = (pinned.data?.pages[0]?.items.length ?? 0) > 0;
  return hasAny ? <Suspense fallback={<ChartSkeleton height={200} />}>{children}</Suspense> : null;
}
