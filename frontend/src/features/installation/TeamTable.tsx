import { Button, Group, Paper, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { createTeam, type InstallationTeam, installationTeamsQuery, teamsQuery } from '@/api/team';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showDone, showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { useChange } from '@/lib/use-change';

export function TeamTable(): ReactElement {
  const teams = useQuery(installationTeamsQuery);
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        Teams
      </Title>
      <QueryPart query={teams} what="The teams could not be read">
        {({ items }) => (
          <DataTable
            label="Teams"
            columns={COLUMNS}
            rows={items}
            rowId={(team) => team.id}
            csvName="loadstone-teams"
            toolbar={<NewTeam />}
          />
        )}
      </QueryPart>
    </Paper>
  );
}

function NewTeam(): ReactElement {
  const [name, setName] = useState('');
  const create = useChange({
    act: createTeam,
    rereads: [['installation'], teamsQuery.queryKey],
    onDone: (team) => {
      setName('');
      showDone(`${team.name} is there. Switch to it in the account menu to invite its members.`);
    },
    onFailure: (error) => showFailure('The team could not be made', error),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(name);
  };
  return (
    <Group component="form" onSubmit={submit} gap="xs">
      <TextInput
        aria-label="Name of the new team"
        placeholder="Name of the new team"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" loading={create.isPending}>
        Create
      </Button>
    </Group>
  );
}

const COLUMNS: ReadonlyArray<DataColumn<InstallationTeam>> = [
  { id: 'name', header: 'Name', value: ({ name }) => name },
  { id: 'members', header: 'Members', value: ({ member_count }) => member_count, isNumber: true },
  {
    id: 'created',
    header: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
];
