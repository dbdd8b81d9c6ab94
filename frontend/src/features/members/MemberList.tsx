import { Badge, Button, Group, NativeSelect, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { meQuery } from '@/api/session';
import { changeMember, type Member, membersQuery, type Role, removeMember } from '@/api/team';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showDone, showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { useChange } from '@/lib/use-change';
import { ROLE_CHOICES } from './roles';

export function MemberList({ toolbar }: { readonly toolbar: ReactElement | null }): ReactElement {
  const { data: me } = useQuery(meQuery);
  const isAdmin = useMay('admin');
  const members = useQuery(membersQuery);
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <Paper withBorder p="sm">
      <QueryPart query={members} what="The members could not be read">
        {({ items }) => (
          <DataTable
            label="Members"
            columns={columns(me?.user.id, isAdmin, setRemoving)}
            rows={items}
            rowId={(member) => member.user.id}
            csvName="loadstone-members"
            toolbar={toolbar}
          />
        )}
      </QueryPart>
      <RemoveMember member={removing} onClose={() => setRemoving(null)} />
    </Paper>
  );
}

function columns(
  myId: string | undefined,
  isAdmin: boolean,
  remove: (member: Member) => void,
): ReadonlyArray<DataColumn<Member>> {
  const shown: DataColumn<Member>[] = [
    {
      id: 'name',
      header: 'Name',
      value: ({ user }) => user.name,
      cell: (member) => <MemberName member={member} isMe={member.user.id === myId} />,
    },
    { id: 'email', header: 'E-mail', value: ({ user }) => user.email },
    {
      id: 'role',
      header: 'Role',
      value: ({ role }) => role,
      cell: (member) => (isAdmin ? <RoleChoice member={member} /> : member.role),
    },
    {
      id: 'joined',
      header: 'Joined',
      value: ({ joined_at }) => joined_at,
      cell: ({ joined_at }) => <RelativeTime at={joined_at} />,
    },
    {
      id: 'seen',
      header: 'Last seen here',
      value: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} />,
    },
  ];
  return isAdmin ? [...shown, removeColumn(remove)] : shown;
}

function removeColumn(remove: (member: Member) => void): DataColumn<Member> {
  return {
    id: 'actions',
    header: 'Actions',
    value: () => null,
    isActions: true,
    cell: (member) => (
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => remove(member)}>
        Remove
      </Button>
    ),
  };
}

function MemberName({ member, isMe }: { readonly member: Member; readonly isMe: boolean }): ReactElement {
  return (
    <Group gap={6}>
      <Text size="sm">{member.user.name}</Text>
      {isMe && <Badge variant="outline">you</Badge>}
      {member.is_deactivated && <Badge color="gray">deactivated</Badge>}
    </Group>
  );
}

function RoleChoice({ member }: { readonly member: Member }): ReactElement {
  const change = useChange({
    act: (role: Role) => changeMember(member.user.id, role),
    rereads: [membersQuery.queryKey, meQuery.queryKey],
    onDone: ({ user, role }) => showDone(`${user.name} is ${role} now.`),
    onFailure: (error) => showFailure('The role could not be changed', error),
  });
  return (
    <NativeSelect
      size="xs"
      miw={104}
      aria-label={`Role of ${member.user.name}`}
      data={ROLE_CHOICES}
      value={member.role}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.value as Role)}
    />
  );
}

interface RemoveMemberProps {
  readonly member: Member | null;
  readonly onClose: () => void;
}

function RemoveMember({ member, onClose }: RemoveMemberProps): ReactElement {
  const remove = useChange({
    act: removeMember,
    rereads: [membersQuery.queryKey],
    onDone: onClose,
    onFailure: (error) => {
      onClose();
      showFailure('The member could not be removed', error);
    },
  });
  return (
    <ConfirmDialog
      isOpen={member !== null}
      title={`Remove ${member?.user.name ?? ''} from the team?`}
      confirmLabel="Remove"
      isBusy={remove.isPending}
      onConfirm={() => member && remove.mutate(member.user.id)}
      onClose={onClose}
    >
      Their sessions and personal tokens in this team end at once. Runs, plans and comments they made stay.
      Another invitation brings them back.
    </ConfirmDialog>
  );
}
