import { Button, Paper, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { meQuery, revokeToken, type ApiToken as Token, tokensQuery } from '@/api/session';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { showFailure } from '@/components/notices';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { TeachingState } from '@/components/TeachingState';
import { useChange } from '@/lib/use-change';
import { CreateToken } from './CreateToken';

const WORDS = {
  personal: {
    title: 'Your tokens',
    empty: 'No tokens of your own',
    text: 'A token lets a script do what you can do here, or less. Send it as “Authorization: Bearer lst_…”.',
  },
  team: {
    title: 'Tokens of the team',
    empty: 'No tokens of the team',
    text: 'A token of the team works for a pipeline or a service, and goes on working when its creator leaves.',
  },
} as const;

export function TokenList({ kind }: { readonly kind: 'personal' | 'team' }): ReactElement {
  const { data: me } = useQuery(meQuery);
  const tokens = useQuery(tokensQuery(kind));
  const [isCreating, creating] = useDisclosure(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const mayChange = kind === 'personal' || me?.role === 'admin';
  const create = mayChange && <Button onClick={creating.open}>Create token</Button>;
  const { title, empty, text } = WORDS[kind];
  return (
    <div>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <QueryPart query={tokens} what="The tokens could not be read">
        {({ items }) =>
          items.length === 0 ? (
            <TeachingState icon={IconKey} title={empty} text={text}>
              {create}
            </TeachingState>
          ) : (
            <Paper withBorder p="sm">
              <DataTable
                label={title}
                columns={tokenColumns(kind, mayChange, setRevoking)}
                rows={items}
                rowId={(token) => token.id}
                csvName={`loadstone-tokens-${kind}`}
                toolbar={create}
              />
            </Paper>
          )
        }
      </QueryPart>
      {me && <CreateToken kind={kind} role={me.role} isOpen={isCreating} onClose={creating.close} />}
      <RevokeToken token={revoking} onClose={() => setRevoking(null)} />
    </div>
  );
}

function tokenColumns(
  kind: 'personal' | 'team',
  mayChange: boolean,
  revoke: (token: Token) => void,
): ReadonlyArray<DataColumn<Token>> {
  const shown: DataColumn<Token>[] = [
    { id: 'name', header: 'Name', value: ({ name }) => name },
    { id: 'scope', header: 'May', value: ({ scope }) => scope },
    {
      id: 'created',
      header: 'Created',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: 'used',
      header: 'Last used',
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : 'never'),
    },
    {
      id: 'expires',
      header: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => (expires_at ? <RelativeTime at={expires_at} /> : 'never'),
    },
  ];
  if (kind === 'team') {
    shown.splice(2, 0, {
      id: 'by',
      header: 'Made by',
      value: ({ created_by }) => created_by?.name ?? 'someone who is gone',
    });
  }
  return mayChange ? [...shown, revokeColumn(revoke)] : shown;
}

function revokeColumn(revoke: (token: Token) => void): DataColumn<Token> {
  return {
    id: 'actions',
    header: 'Actions',
    value: () => null,
    isActions: true,
    cell: (token) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`Revoke ${token.name}`}
        onClick={() => revoke(token)}
      >
        Revoke
      </Button>
    ),
  };
}

interface RevokeTokenProps {
  readonly token: Token | null;
  readonly onClose: () => void;
}

function RevokeToken({ token, onClose }: RevokeTokenProps): ReactElement {
  const revoke = useChange({
    act: revokeToken,
    rereads: [['tokens']],
    onDone: onClose,
    onFailure: (error) => {
      onClose();
      showFailure('The token could not be revoked', error);
    },
  });
  return (
    <ConfirmDialog
      isOpen={token !== null}
      title={`Revoke “${token?.name ?? ''}”?`}
      confirmLabel="Revoke the token"
      isBusy={revoke.isPending}
      onConfirm={() => token && revoke.mutate(token.id)}
      onClose={onClose}
    >
      Scripts that use it are refused from now on. This cannot be undone; create another token instead.
    </ConfirmDialog>
  );
}
