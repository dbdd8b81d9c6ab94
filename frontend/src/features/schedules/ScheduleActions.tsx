import { ActionIcon, Group, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBolt,
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import {
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runScheduleNow,
  type Schedule,
  schedulesQuery,
} from '@/api/schedules';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { showDone, showFailure } from '@/components/notices';

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly onEdit: (scheduleId: string) => void;
  readonly onHistory: (scheduleId: string) => void;
}

function useActions({ id, name, state }: Schedule) {
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: schedulesQuery.queryKey });
  const onError = (error: unknown) => showFailure(`“${name}” could not be changed`, error);
  const isGoing = state === 'active';
  return {
    isGoing,
    toggle: useMutation({
      mutationFn: () => (isGoing ? pauseSchedule(id) : resumeSchedule(id)),
      onError,
      onSettled,
    }),
    fire: useMutation({
      mutationFn: () => runScheduleNow(id),
      onSuccess: ({ outcome, error, run_name }) =>
        showDone(error ? `${outcome}: ${error.message}` : `Submitted “${run_name}”.`),
      onError,
      onSettled,
    }),
    remove: useMutation({ mutationFn: () => deleteSchedule(id), onError, onSettled }),
  };
}

export function ScheduleActions({ schedule, onEdit, onHistory }: ScheduleActionsProps): ReactElement {
  const mayEdit = useMay('editor');
  const { remove } = useActions(schedule);
  const [isAsking, ask] = useDisclosure(false);
  const { name } = schedule;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {mayEdit && <FireAndPause schedule={schedule} />}
      <MoreMenu schedule={schedule} onEdit={onEdit} onHistory={onHistory} onDelete={ask.open} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete the schedule “${name}”?`}
        confirmLabel="Delete the schedule"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: ask.close })}
        onClose={ask.close}
      >
        It starts nothing any more, and the list of its firings goes. Its runs and its plan stay.
      </ConfirmDialog>
    </Group>
  );
}

function FireAndPause({ schedule }: { readonly schedule: Schedule }): ReactElement {
  const { isGoing, toggle, fire } = useActions(schedule);
  const { name } = schedule;
  const verb = isGoing ? 'Pause' : 'Resume';
  return (
    <>
      <Tooltip label="Run now">
        <ActionIcon
          variant="subtle"
          aria-label={`Run ${name} now`}
          loading={fire.isPending}
          onClick={() => fire.mutate()}
        >
          <IconBolt size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={verb}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`${verb} ${name}`}
          loading={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {isGoing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
        </ActionIcon>
      </Tooltip>
    </>
  );
}

function MoreMenu({
  schedule: { id, name },
  onEdit,
  onHistory,
  onDelete,
}: ScheduleActionsProps & { readonly onDelete: () => void }): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`More about ${name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayEdit && (
          <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => onEdit(id)}>
            Change
          </Menu.Item>
        )}{' '}
        <Menu.Item leftSection={<IconHistory size={14} />} onClick={() => onHistory(id)}>
          Firings
        </Menu.Item>
        {mayEdit && (
          <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={onDelete}>
            Delete
          </Menu.Item>
        )}{' '}
      </Menu.Dropdown>
    </Menu>
  );
}
