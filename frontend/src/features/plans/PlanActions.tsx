import { ActionIcon, Button, Group, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArchive,
  IconCalendarTime,
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useRef } from 'react';
import { archivePlan, type Plan, plansQuery, restorePlan } from '@/api/plans';
import { submitRun } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { MenuLink } from '@/components/links';
import { showDone, showFailure } from '@/components/notices';
import { requestId } from '@/lib/request-id';

interface PlanActionsProps {
  readonly plan: Plan;
  readonly onVersions: (planId: string) => void;
}

function usePlanActions({ id, name }: Plan) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const pressId = useRef(requestId());
  const onSettled = () => queries.invalidateQueries({ queryKey: plansQuery.queryKey });
  return {
    run: useMutation({
      mutationFn: () => submitRun({ plan_id: id, priority: 0 }, pressId.current),
      onSuccess: (run) => navigate({ to: '/runs/$runId', params: { runId: run.id } }),
      onError: (error) => showFailure(`“${name}” could not be run`, error),
    }),
    archive: useMutation({
      mutationFn: () => archivePlan(id),
      onSuccess: () => showDone(`“${name}” is in the archive; it can be restored from there.`),
      onError: (error) => showFailure(`“${name}” could not be archived`, error),
      onSettled,
    }),
    restore: useMutation({
      mutationFn: () => restorePlan(id),
      onError: (error) => showFailure(`“${name}” could not be restored`, error),
      onSettled,
    }),
  };
}

export function PlanActions({ plan, onVersions }: PlanActionsProps): ReactElement | null {
  const mayEdit = useMay('editor');
  const { run, archive, restore } = usePlanActions(plan);
  const [isAsking, ask] = useDisclosure(false);
  const { name, archived_at } = plan;
  if (archived_at && !mayEdit) return null;
  if (archived_at) return <RestoreButton name={name} restore={restore} />;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {mayEdit && <RunButton name={name} run={run} />}
      <MoreMenu plan={plan} onVersions={onVersions} onArchive={ask.open} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Archive “${name}”?`}
        confirmLabel="Archive the plan"
        isBusy={archive.isPending}
        onConfirm={() => archive.mutate(undefined, { onSettled: ask.close })}
        onClose={ask.close}
      >
        It leaves the lists, and schedules that start it break until it is restored. Its runs keep their
        numbers.
      </ConfirmDialog>
    </Group>
  );
}

type Run = ReturnType<typeof usePlanActions>['run'];

function RunButton({ name, run }: { readonly name: string; readonly run: Run }): ReactElement {
  return (
    <Tooltip label="Run now">
      <ActionIcon
        variant="subtle"
        aria-label={`Run ${name} now`}
        loading={run.isPending}
        onClick={() => run.mutate()}
      >
        <IconPlayerPlay size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

type Restore = ReturnType<typeof usePlanActions>['restore'];

function RestoreButton({
  name,
  restore,
}: {
  readonly name: string;
  readonly restore: Restore;
}): ReactElement {
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Restore ${name}`}
      loading={restore.isPending}
      onClick={() => restore.mutate()}
    >
      Restore
    </Button>
  );
}

function MoreMenu({
  plan: { id, name },
  onVersions,
  onArchive,
}: PlanActionsProps & { readonly onArchive: () => void }): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`More about ${name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuLink to="/runs/new" search={{ plan: id }} leftSection={<IconPencil size={14} />}>
          Open
        </MenuLink>
        {mayEdit && (
          <MenuLink
            to="/schedules"
            search={{ edit: 'new', plan: id }}
            leftSection={<IconCalendarTime size={14} />}
          >
            Schedule
          </MenuLink>
        )}
        <Menu.Item leftSection={<IconHistory size={14} />} onClick={() => onVersions(id)}>
          Versions
        </Menu.Item>
        {mayEdit && (
          <Menu.Item leftSection={<IconArchive size={14} />} color="red" onClick={onArchive}>
            Archive
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
