import { Button, Group, Paper, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { changeUser, type InstallationUser, installationUsersQuery } from '@/api/team';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { useChange } from '@/lib/use-change';

type Change = { readonly id: string; readonly body: Parameters<typeof changeUser>[1] };

export function UserTable(): ReactElement {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text, 250);
  const users = useQuery(installationUsersQuery(q));
  const change = useChange({
    act: ({ id, body }: Change) => changeUser(id, body),
    rereads: [['installation']],
    onFailure: (error) => showFailure('The account could not be changed', error),
  });
  const search = (
    <TextInput
      aria-label="Search people"
      placeholder="Name or e-mail"
      maw={320}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        People
      </Title>
      {search}
      <QueryPart query={users} what="The people could not be read">
        {({ items }) => (
          <DataTable
            label="People"
            columns={columns(change.mutate)}
            rows={items}
            rowId={(user) => user.id}
            csvName="loadstone-people"
          />
        )}
      </QueryPart>
    </Paper>
  );
}

function columns(change: (wanted: Change) => void): ReadonlyArray<DataColumn<InstallationUser>> {
  return [
    { id: 'name', header: 'Name', value: ({ name }) => name },
    { id: 'email', header: 'E-mail', value: ({ email }) => email },
    { id: 'teams', header: 'Teams', value: ({ teams }) => teams.map(({ name }) => name).join(', ') || '–' },
    {
      id: 'state',
      header: 'State',
      value: ({ deactivated_at, is_instance_admin }) =>
        deactivated_at ? 'deactivated' : is_instance_admin ? 'admin of the installation' : 'active',
    },
    {
      id: 'created',
      header: 'Since',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      isActions: true,
      cell: (user) => <UserActions user={user} change={change} />,
    },
  ];
}

interface UserActionsProps {
  readonly user: InstallationUser;
  readonly change: (wanted: Change) => void;
}

function UserActions({ user, change }: UserActionsProps): ReactElement {
  const isActive = user.deactivated_at === null;
  const act = (body: Change['body']) => () => change({ id: user.id, body });
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={act({ is_instance_admin: !user.is_instance_admin })}
        aria-label={`${user.is_instance_admin ? 'Withdraw admin' : 'Make admin'}: ${user.name}`}
      >
        {user.is_instance_admin ? 'Withdraw admin' : 'Make admin'}
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        color={isActive ? 'red' : 'blue'}
        onClick={act({ is_active: !isActive })}
        aria-label={`${isActive ? 'Deactivate' : 'Reactivate'} ${user.name}`}
      >
        {isActive ? 'Deactivate' : 'Reactivate'}
      </Button>
    </Group>
  );
}
