import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { Alerts } from '@/features/alerts/Alerts';
import type { AlertsSearch } from './search';

const route = getRouteApi('/inside/alerts');

export default function AlertsPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<AlertsSearch>) =>
    void navigate({ search: (current) => ({ ...current, ...patch }), replace: true, resetScroll: false });
  return (
    <>
      <PageHeader title="Alerts" />
      <Alerts view={view} onView={change} />
    </>
  );
}
