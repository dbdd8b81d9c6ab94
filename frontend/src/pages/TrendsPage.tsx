import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { AddToDashboard } from '@/features/dashboards/AddToDashboard';
import { Trends } from '@/features/trends/Trends';
import type { TrendsSearch } from './search';

const route = getRouteApi('/inside/trends');

export default function TrendsPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<TrendsSearch>) =>
    void navigate({ search: (current) => ({ ...current, ...patch }), replace: true, resetScroll: false });
  return (
    <>
      <PageHeader
        title="Trends"
        actions={
          view.label && <AddToDashboard view={view} labels={view.label} title={view.label.join(', ')} />
        }
      />
      <Trends view={view} onView={change} />
    </>
  );
}
