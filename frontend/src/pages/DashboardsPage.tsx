import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { DashboardList } from '@/features/dashboards/DashboardList';

export default function DashboardsPage(): ReactElement {
  return (
    <>
      <PageHeader title="Dashboards" />
      <DashboardList />
    </>
  );
}
