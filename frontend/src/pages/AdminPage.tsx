import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { PageHeader } from '@/components/PageHeader';
import { InstallationLog } from '@/features/audit/InstallationLog';
import { TeamTable } from '@/features/installation/TeamTable';
import { UserTable } from '@/features/installation/UserTable';
import { NeedsRole } from '@/features/session/NeedsRole';

export default function AdminPage(): ReactElement {
  const { data: me } = useQuery(meQuery);
  if (me && !me.is_instance_admin) return <NeedsRole what="This page" who="admins of the installation" />;
  return (
    <>
      <PageHeader title="Installation" />
      <Stack gap="md">
        <TeamTable />
        <UserTable />
        <InstallationLog />
      </Stack>
    </>
  );
}
