import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { AuditLog } from '@/features/audit/AuditLog';
import { NeedsRole } from '@/features/session/NeedsRole';

const route = getRouteApi('/inside/settings/audit');

export default function SettingsAuditPage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const { data: me } = useQuery(meQuery);
  if (me && me.role !== 'admin') return <NeedsRole what="The audit log" who="admins of the team" />;
  return <AuditLog view={view} onView={(search) => void navigate({ search, replace: true })} />;
}
