import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { DashboardView } from '@/features/dashboards/DashboardView';
import { ShareButton } from '@/features/share/ShareButton';
import { renderPanel } from './dashboard-panels';

const route = getRouteApi('/inside/dashboards/$dashboardId');

export default function DashboardPage(): ReactElement {
  const { dashboardId } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <DashboardView
      key={dashboardId}
      dashboardId={dashboardId}
      isEditing={edit ?? false}
      onEditing={(isEditing) => void navigate({ search: { edit: isEditing || undefined }, replace: true })}
      render={renderPanel}
      actions={({ id, name }) => (
        <ShareButton kind="dashboard" subject={{ dashboard_id: id }} subjectId={id} title={name} view={{}} />
      )}
    />
  );
}
