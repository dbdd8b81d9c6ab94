import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { AuditLog } from '@/features/audit/AuditLog';
import { AdminsOnly } from '@/features/session/AdminsOnly';

const route = getRouteApi('/inside/settings/audit');

export default function SettingsAuditPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <AdminsOnly what="The audit log" of="team">
      <AuditLog view={view} onView={(search) => void navigate({ search, replace: true })} />
    </AdminsOnly>
  );
}
