import { Badge, Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { revokeSession, type Session, sessionsQuery } from '@/api/team';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { useChange } from '@/lib/use-change';
import { browserName } from './browser-name';

export function SessionList({ whose }: { readonly whose: 'mine' | 'team' }): ReactElement {
  const sessions = useQuery(sessionsQuery(whose));
  const revoke = useChange({
    act: revokeSession,
    rereads: [['sessions']],
    onFailure: (error) => showFailure('The session could not be ended', error),
  });
  return (
    <Paper withBorder p="sm">
      <QueryPart query={sessions} what="The sessions could not be read">
        {({ items }) => (
          <DataTable
            label={whose === 'mine' ? 'Your sessions' : 'Sessions of the team'}
            columns={columns(whose, revoke.mutate)}
            rows={items}
            rowId={(session) => session.id}
            csvName="loadstone-sessions"
          />
        )}
      </QueryPart>
    </Paper>
  );
}

function columns(whose: 'mine' | 'team', end: (id: string) => void): ReadonlyArray<DataColumn<Session>> {
  const owner: DataColumn<Session> =
    whose === 'team'
      ? { id: 'who', header: 'Who', value: ({ user }) => user.name }
      : { id: 'team', header: 'Team', value: ({ team }) => team.name };
  return [
    owner,
    {
      id: 'browser',
      header: 'Browser',
      value: ({ user_agent }) => user_agent,
      cell: (session) => <BrowserCell session={session} />,
    },
    { id: 'address', header: 'Address', value: ({ address }) => address || '–' },
    {
      id: 'seen',
      header: 'Last seen',
      value: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} />,
    },
    {
      id: 'created',
      header: 'Signed in',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      isActions: true,
      cell: (session) => !session.is_current && <EndButton session={session} onEnd={end} />,
    },
  ];
}

function BrowserCell({ session }: { readonly session: Session }): ReactElement {
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" title={session.user_agent}>
        {browserName(session.user_agent)}
      </Text>
      {session.is_current && (
        <Badge variant="outline" flex="none">
          this one
        </Badge>
      )}
    </Group>
  );
}

interface EndButtonProps {
  readonly session: Session;
  readonly onEnd: (id: string) => void;
}

function EndButton({ session, onEnd }: EndButtonProps): ReactElement {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      aria-label={`End the session of ${session.user.name}`}
      onClick={() => onEnd(session.id)}
    >
      End
    </Button>
  );
}
