import { Button, Modal, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Schemas } from '@/api/client';
import { contentOf, type Dashboard, readVersion, saveDashboard, versionsQuery } from '@/api/dashboards';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';

interface VersionsDialogProps {
  readonly dashboard: Dashboard;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What was saved before; taking one back makes it the next version. */
export function VersionsDialog({ dashboard, isOpen, onClose }: VersionsDialogProps): ReactElement {
  const queries = useQueryClient();
  const versions = useQuery({ ...versionsQuery(dashboard.id), enabled: isOpen });
  const restore = useMutation({
    mutationFn: async (version: number) =>
      saveDashboard(dashboard.id, dashboard.version, contentOf(await readVersion(dashboard.id, version))),
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: ['dashboards'] });
    },
  });
  const error = versions.error ?? restore.error;
  return (
    <Modal opened={isOpen} onClose={onClose} title="Earlier versions" centered size="lg">
      {error && (
        <FailureState
          what={toProblem(error).title}
          code={toProblem(error).code}
          detail={toProblem(error).detail}
        />
      )}
      {versions.isPending && <TableSkeleton rows={3} columns={4} />}
      {versions.data && (
        <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="Versions">
          <Table className="data-table">
            <VersionsHead />
            <Table.Tbody>
              {versions.data.items.map((one) => (
                <VersionRow
                  key={one.version}
                  one={one}
                  isCurrent={one.version === dashboard.version}
                  isBusy={restore.isPending && restore.variables === one.version}
                  onRestore={() => restore.mutate(one.version)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Modal>
  );
}

function VersionsHead(): ReactElement {
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Version</Table.Th>
        <Table.Th>Name</Table.Th>
        <Table.Th>Panels</Table.Th>
        <Table.Th>Saved</Table.Th>
        <Table.Th>By</Table.Th>
        <Table.Th>
          <span className="visually-hidden">Actions</span>
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

interface VersionRowProps {
  readonly one: Schemas['DashboardVersionItem'];
  readonly isCurrent: boolean;
  readonly isBusy: boolean;
  readonly onRestore: () => void;
}

function VersionRow({ one, isCurrent, isBusy, onRestore }: VersionRowProps): ReactElement {
  return (
    <Table.Tr>
      <Table.Td>{one.version}</Table.Td>
      <Table.Td className="wraps">{one.name}</Table.Td>
      <Table.Td>{one.panel_count}</Table.Td>
      <Table.Td>
        <RelativeTime at={one.changed_at} />
      </Table.Td>
      <Table.Td>{one.changed_by?.name ?? '–'}</Table.Td>
      <Table.Td>
        {!isCurrent && (
          <Button size="compact-xs" variant="default" loading={isBusy} onClick={onRestore}>
            Take back
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
