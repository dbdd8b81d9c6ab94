import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { InstallationLog } from '@/features/audit/InstallationLog';
import { TeamTable } from '@/features/installation/TeamTable';
import { UserTable } from '@/features/installation/UserTable';
import { AdminsOnly } from '@/features/session/AdminsOnly';

export default function AdminPage(): ReactElement {
  return (
    <AdminsOnly what="This page" of="installation">
      <PageHeader title="Installation" />
      <Stack gap="md">
        <TeamTable />
        <UserTable />
        <InstallationLog />
      </Stack>
    </AdminsOnly>
  );
}
