import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { PinnedDashboards } from '@/features/dashboards/PinnedDashboards';
import { HomeBoard } from '@/features/home/HomeBoard';
import { renderPanel } from './dashboard-panels';

export default function HomePage(): ReactElement {
  return (
    <>
      <PageHeader title="Home" />
      <HomeBoard pinned={<PinnedDashboards render={renderPanel} />} />
    </>
  );
}
