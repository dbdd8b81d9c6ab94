import { ActionIcon, Button, Group, Paper } from '@mantine/core';
import { IconBellRinging, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { type Channel, channelsQuery, deleteChannel } from '@/api/notifications';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { showFailure } from '@/components/notices';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { ChannelDialog } from './ChannelDialog';
import { DeliveryState } from './DeliveryState';
import { TestButton } from './TestButton';
import { EVENTS, kindTitle } from './words';

interface ChannelListProps {
  readonly onLog: (channelId: string) => void;
}

export function ChannelList({ onLog }: ChannelListProps): ReactElement {
  const isAdmin = useMay('admin');
  const channels = useQuery(channelsQuery);
  const [editing, setEditing] = useState<Channel | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Channel | null>(null);
  if (channels.isPending) return <TableSkeleton rows={3} />;
  if (!channels.data) {
    const { code, detail } = toProblem(channels.error);
    return (
      <FailureState
        what="The channels could not be read"
        code={code}
        detail={detail}
        onRetry={() => channels.refetch()}
      />
    );
  }
  const { items, is_mail_configured } = channels.data;
  const add = isAdmin && <Button onClick={() => setEditing('new')}>Add channel</Button>;
  return (
    <>
      {items.length === 0 ? (
        <NoChannels>{add}</NoChannels>
      ) : (
        <Paper withBorder p="sm">
          <DataTable
            label="Notification channels"
            columns={columnsOf({ isAdmin, onLog, onEdit: setEditing, onDelete: setDeleting })}
            rows={items}
            rowId={({ id }) => id}
            csvName="loadstone-channels"
            toolbar={add}
          />
        </Paper>
      )}
      {editing && (
        <ChannelDialog
          channel={editing === 'new' ? undefined : editing}
          isMailConfigured={is_mail_configured}
          onClose={() => setEditing(null)}
        />
      )}
      <DeleteChannel channel={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function NoChannels({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <TeachingState
      icon={IconBellRinging}
      title="Nobody is told of anything yet"
      text="A channel sends confirmed alerts, failed runs and broken schedules to Slack, Teams, e-mail, a signed webhook or another service."
    >
      {children}
    </TeachingState>
  );
}

interface Actions extends ChannelListProps {
  readonly isAdmin: boolean;
  readonly onEdit: (channel: Channel) => void;
  readonly onDelete: (channel: Channel) => void;
}

function columnsOf(actions: Actions): ReadonlyArray<DataColumn<Channel>> {
  return [
    { id: 'name', header: 'Channel', value: ({ name }) => name },
    { id: 'kind', header: 'Kind', value: ({ kind }) => kindTitle(kind) },
    { id: 'address', header: 'Address', value: ({ address }) => address, isText: true },
    {
      id: 'events',
      header: 'Told of',
      value: ({ events }) => events.map((event) => EVENTS[event]).join(', '),
      isText: true,
    },
    { id: 'enabled', header: 'Enabled', value: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
    {
      id: 'last',
      header: 'Last message',
      value: ({ last_delivery }) => last_delivery?.status ?? null,
      cell: ({ last_delivery }) => (last_delivery ? <DeliveryState delivery={last_delivery} /> : 'none yet'),
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      isActions: true,
      cell: (channel) => <ChannelActions channel={channel} {...actions} />,
    },
  ];
}

function ChannelActions({
  channel,
  isAdmin,
  onLog,
  ...changes
}: Actions & { channel: Channel }): ReactElement {
  return (
    <Group gap={4} wrap="nowrap">
      {isAdmin && <TestButton channel={channel} />}
      <Button size="compact-sm" variant="subtle" onClick={() => onLog(channel.id)}>
        Log
      </Button>
      {isAdmin && <ChangeButtons channel={channel} {...changes} />}
    </Group>
  );
}

type ChangeButtonsProps = Pick<Actions, 'onEdit' | 'onDelete'> & { readonly channel: Channel };

function ChangeButtons({ channel, onEdit, onDelete }: ChangeButtonsProps): ReactElement {
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Edit ${channel.name}`}
        onClick={() => onEdit(channel)}
      >
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Delete ${channel.name}`}
        onClick={() => onDelete(channel)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </>
  );
}

function DeleteChannel({ channel, onClose }: { channel: Channel | null; onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: deleteChannel,
    onError: (error) => showFailure('The channel could not be deleted', error),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: ['notifications'] });
    },
  });
  return (
    <ConfirmDialog
      isOpen={channel !== null}
      title={`Delete “${channel?.name ?? ''}”?`}
      confirmLabel="Delete the channel"
      isBusy={remove.isPending}
      onConfirm={() => channel && remove.mutate(channel.id)}
      onClose={onClose}
    >
      Nothing is sent to it any more, and its address is forgotten.
    </ConfirmDialog>
  );
}
