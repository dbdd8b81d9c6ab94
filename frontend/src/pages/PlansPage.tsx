import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { PlanList } from '@/features/plans/PlanList';

const route = getRouteApi('/inside/plans');

export default function PlansPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Plans" />
      <PlanList view={view} onView={(next) => void navigate({ search: next, replace: true })} />
    </>
  );
}
