import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { QueueBoard } from '@/features/queue/QueueBoard';

const route = getRouteApi('/inside/queue');

export default function QueuePage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Queue" />
      <QueueBoard view={view} onView={(next) => void navigate({ search: next, replace: true })} />
    </>
  );
}
