import { ActionIcon, Button, Group, Paper, Text, TextInput, Tooltip } from '@mantine/core';
import { IconArchive, IconDatabase, IconPencil, IconPlus, IconSearch } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { archiveTarget, storeKindsQuery, type Target, targetsQuery } from '@/api/targets';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { CheckButton } from './CheckButton';
import { TargetDialog } from './TargetDialog';

/** `edit` is a target's id, or `new`. */
export interface TargetsView {
  readonly q?: string;
  readonly edit?: string;
}

interface TargetListProps {
  readonly view: TargetsView;
  readonly onView: (view: TargetsView) => void;
}

export function TargetList({ view, onView }: TargetListProps): ReactElement {
  const targets = useQuery(targetsQuery);
  const kinds = useQuery(storeKindsQuery);
  const [archiving, setArchiving] = useState<Target | null>(null);
  if (targets.isPending || kinds.isPending) return <TableSkeleton columns={5} />;
  const failed = targets.error ?? kinds.error;
  if (!targets.data || !kinds.data) {
    const { code, detail } = toProblem(failed);
    const retry = () => void Promise.all([targets.refetch(), kinds.refetch()]);
    return <FailureState what="The targets could not be read" code={code} detail={detail} onRetry={retry} />;
  }
  const items = targets.data.items;
  const editing = items.find(({ id }) => id === view.edit);
  const edit = (id: string | undefined) => onView({ ...view, edit: id });
  return (
    <>
      {items.length === 0 ? (
        <NoTargets onNew={() => edit('new')} />
      ) : (
        <Paper withBorder p="sm">
          <DataTable
            label="Targets"
            columns={columnsOf(edit, setArchiving)}
            rows={items.filter((target) => fits(target, view.q))}
            rowId={(target) => target.id}
            csvName="loadstone-targets"
            toolbar={<Toolbar view={view} onView={onView} />}
          />
        </Paper>
      )}
      {(editing || view.edit === 'new') && (
        <TargetDialog kinds={kinds.data.items} target={editing ?? null} onClose={() => edit(undefined)} />
      )}
      <ArchiveDialog target={archiving} onClose={() => setArchiving(null)} />
    </>
  );
}

function fits({ name, kind, host }: Target, text: string | undefined): boolean {
  return !text || `${name} ${kind} ${host ?? ''}`.toLowerCase().includes(text.toLowerCase());
}

function Toolbar({ view, onView }: TargetListProps): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <>
      <TextInput
        size="xs"
        w={220}
        aria-label="Filter targets"
        placeholder="Filter ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={view.q ?? ''}
        onChange={(event) => onView({ ...view, q: event.currentTarget.value || undefined })}
      />
      {mayEdit && (
        <Button
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          onClick={() => onView({ ...view, edit: 'new' })}
        >
          New target
        </Button>
      )}
    </>
  );
}

function NoTargets({ onNew }: { readonly onNew: () => void }): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <TeachingState
      icon={IconDatabase}
      title="No saved targets"
      text="A target is a store under test. The usual profiles of memcached and Redis are there without saving anything: choose them in a new run. Save a target for options of your own, or for a store that runs elsewhere."
    >
      {mayEdit && <Button onClick={onNew}>New target</Button>}
    </TeachingState>
  );
}

interface TargetActionsProps {
  readonly target: Target;
  readonly edit: (id: string) => void;
  readonly archive: (target: Target) => void;
}

function TargetActions({ target, edit, archive }: TargetActionsProps): ReactElement | null {
  const mayEdit = useMay('editor');
  if (!mayEdit) return null;
  return (
    <Group gap={2} wrap="nowrap">
      <Tooltip label="Change">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Change ${target.name}`}
          onClick={() => edit(target.id)}
        >
          <IconPencil size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Archive">
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={`Archive ${target.name}`}
          onClick={() => archive(target)}
        >
          <IconArchive size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function columnsOf(
  edit: TargetActionsProps['edit'],
  archive: TargetActionsProps['archive'],
): DataColumn<Target>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text fw={550} size="sm" className="run-name">
          {name}
        </Text>
      ),
    },
    { id: 'kind', header: 'Kind', value: ({ kind }) => kind },
    { id: 'how', header: 'Reached', value: howReached },
    {
      id: 'options',
      header: 'Options',
      value: ({ options }) =>
        Object.entries(options)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
    },
    {
      id: 'check',
      header: 'Reachability',
      value: ({ last_check }) => last_check?.status,
      cell: (target) =>
        target.mode === 'external' ? <CheckButton target={target} /> : 'started when needed',
    },
    {
      id: 'updated',
      header: 'Changed',
      value: ({ updated_at }) => updated_at,
      cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      cell: (target) => <TargetActions target={target} edit={edit} archive={archive} />,
      isActions: true,
    },
  ];
}

function howReached({ mode, profile, host, port, tls }: Target): string {
  if (mode === 'managed') return `managed, profile ${profile}`;
  return `${host}:${port}${tls ? ', TLS' : ''}`;
}

function ArchiveDialog({
  target,
  onClose,
}: {
  readonly target: Target | null;
  readonly onClose: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const archive = useMutation({
    mutationFn: (targetId: string) => archiveTarget(targetId),
    onError: (error) => showFailure('The target could not be archived', error),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: targetsQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      isOpen={target !== null}
      title={`Archive “${target?.name ?? ''}”?`}
      confirmLabel="Archive the target"
      isBusy={archive.isPending}
      onConfirm={() => target && archive.mutate(target.id)}
      onClose={onClose}
    >
      It leaves this list and can be chosen for no new run; its credentials are forgotten. Runs that used it
      keep their numbers. The store itself is not touched.
    </ConfirmDialog>
  );
}
