import { lazy, type ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { WhenPinned } from '@/features/dashboards/WhenPinned';
import { HomeBoard } from '@/features/home/HomeBoard';

const PinnedBoards = lazy(() => import('./PinnedBoards'));

export default function HomePage(): ReactElement {
  return (
    <>
      <PageHeader title="Home" />
      <HomeBoard
        pinned={
          <WhenPinned>
            <PinnedBoards />
          </WhenPinned>
        }
      />
    </>
  );
}
