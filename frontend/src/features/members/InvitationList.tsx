import { Button, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Invitation, invitationsQuery, revokeInvitation } from '@/api/team';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { useChange } from '@/lib/use-change';

/** For admins. Says nothing as long as nobody was invited. */
export function InvitationList(): ReactElement | null {
  const invitations = useQuery(invitationsQuery);
  const revoke = useChange({
    act: revokeInvitation,
    rereads: [invitationsQuery.queryKey],
    onFailure: (error) => showFailure('The invitation could not be revoked', error),
  });
  if (invitations.data?.items.length === 0) return null;
  return (
    <Paper withBorder p="sm" mt="md">
      <Title order={2} size="h5">
        Invitations
      </Title>
      <QueryPart query={invitations} what="The invitations could not be read">
        {({ items }) => (
          <DataTable
            label="Invitations"
            columns={columns(revoke.mutate)}
            rows={items}
            rowId={(invitation) => invitation.id}
            csvName="loadstone-invitations"
          />
        )}
      </QueryPart>
    </Paper>
  );
}

function columns(revoke: (id: string) => void): ReadonlyArray<DataColumn<Invitation>> {
  return [
    { id: 'for', header: 'For', value: ({ email }) => email ?? 'whoever has the link' },
    { id: 'role', header: 'Role', value: ({ role }) => role },
    {
      id: 'state',
      header: 'State',
      value: ({ state, accepted_by }) => (accepted_by ? `accepted by ${accepted_by.name}` : state),
    },
    { id: 'by', header: 'Made by', value: ({ created_by }) => created_by?.name ?? 'someone who is gone' },
    {
      id: 'created',
      header: 'Made',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: 'expires',
      header: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <RelativeTime at={expires_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      isActions: true,
      cell: ({ id, state, email }) =>
        state === 'open' && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Revoke the invitation for ${email ?? 'whoever has the link'}`}
            onClick={() => revoke(id)}
          >
            Revoke
          </Button>
        ),
    },
  ];
}
