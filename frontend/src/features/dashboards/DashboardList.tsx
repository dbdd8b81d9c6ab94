import { Button, Group, Modal, Paper, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLayoutDashboard, IconPinFilled } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import { createDashboard, type DashboardItem, dashboardsQuery } from '@/api/dashboards';
import { useMay } from '@/api/use-may';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { formatDuration } from '@/lib/format';
import { toProblem } from '@/lib/problem';

const COLUMNS: ReadonlyArray<DataColumn<DashboardItem>> = [
  {
    id: 'name',
    header: 'Dashboard',
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <TextLink to="/dashboards/$dashboardId" params={{ dashboardId: id }} fw={550} className="run-name">
        {name}
      </TextLink>
    ),
  },
  {
    id: 'pinned',
    header: 'On home',
    value: ({ is_pinned }) => is_pinned,
    cell: ({ is_pinned }) => (is_pinned ? <IconPinFilled size={15} aria-label="Pinned" /> : ''),
  },
  { id: 'panels', header: 'Panels', value: ({ panel_count }) => panel_count, isNumber: true },
  {
    id: 'refresh',
    header: 'Refreshes every',
    value: ({ refresh_s }) => refresh_s,
    cell: ({ refresh_s }) => (refresh_s === null ? 'never' : formatDuration(refresh_s)),
  },
  { id: 'by', header: 'Changed by', value: ({ changed_by }) => changed_by?.name ?? null },
  {
    id: 'at',
    header: 'Changed',
    value: ({ changed_at }) => changed_at,
    cell: ({ changed_at }) => <RelativeTime at={changed_at} />,
  },
];

export function DashboardList(): ReactElement {
  const mayEdit = useMay('editor');
  const dashboards = useInfiniteQuery(dashboardsQuery());
  const [isCreating, creating] = useDisclosure(false);
  if (dashboards.isPending) return <TableSkeleton rows={4} />;
  if (!dashboards.data) {
    const { code, detail } = toProblem(dashboards.error);
    return (
      <FailureState
        what="The dashboards could not be read"
        code={code}
        detail={detail}
        onRetry={() => dashboards.refetch()}
      />
    );
  }
  const items = dashboards.data.pages.flatMap((page) => page.items);
  const create = mayEdit && <Button onClick={creating.open}>New dashboard</Button>;
  return (
    <>
      {items.length === 0 ? (
        <TeachingState
          icon={IconLayoutDashboard}
          title="No dashboards yet"
          text="A dashboard puts trends, runs, comparisons and notes on one page that the whole team sees, pinned to its home page if you like."
        >
          {create}
        </TeachingState>
      ) : (
        <Paper withBorder p="sm">
          <DataTable
            label="Dashboards"
            columns={COLUMNS}
            rows={items}
            rowId={({ id }) => id}
            csvName="loadstone-dashboards"
            toolbar={create}
          />
        </Paper>
      )}
      <CreateDashboard isOpen={isCreating} onClose={creating.close} />
    </>
  );
}

function CreateDashboard({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => createDashboard({ name, refresh_s: null, is_pinned: false, panels: [] }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['dashboards'] });
      await navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: id }, search: { edit: true } });
    },
  });
  const problem = create.error ? toProblem(create.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="New dashboard" centered>
      <Stack component="form" onSubmit={submit}>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <TextInput
          label="Name"
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
