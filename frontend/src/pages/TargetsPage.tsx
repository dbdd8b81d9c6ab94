import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { TargetList } from '@/features/targets/TargetList';

const route = getRouteApi('/inside/targets');

export default function TargetsPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Targets" />
      <TargetList view={view} onView={(next) => void navigate({ search: next, replace: true })} />
    </>
  );
}
