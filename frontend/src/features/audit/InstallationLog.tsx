import { Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { installationAuditQuery } from '@/api/team';
import { DataTable } from '@/components/DataTable';
import { QueryPart } from '@/components/QueryPart';
import { AUDIT_COLUMNS } from './AuditLog';

/** What admins of the installation changed beyond any team, newest first. */
export function InstallationLog(): ReactElement | null {
  const log = useQuery(installationAuditQuery);
  if (log.data?.items.length === 0) return null;
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        Changes
      </Title>
      <QueryPart query={log} what="The log could not be read">
        {({ items }) => (
          <DataTable
            label="Changes to the installation"
            columns={AUDIT_COLUMNS}
            rows={items}
            rowId={(item) => item.id}
            csvName="loadstone-installation-log"
          />
        )}
      </QueryPart>
    </Paper>
  );
}
