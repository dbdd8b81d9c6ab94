import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { ScheduleList } from '@/features/schedules/ScheduleList';

const route = getRouteApi('/inside/schedules');

export default function SchedulesPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Schedules" />
      <ScheduleList view={view} onView={(next) => void navigate({ search: next, replace: true })} />
    </>
  );
}
