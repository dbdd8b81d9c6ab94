import { Button, Group, Modal, Paper, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { createToken, revokeToken, type ApiToken as Token, tokensQuery } from '@/api/session';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { Secret } from '@/components/Secret';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';

export function TokenList(): ReactElement {
  const tokens = useQuery(tokensQuery);
  const [isCreating, creating] = useDisclosure(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const create = <Button onClick={creating.open}>Create token</Button>;
  if (tokens.isPending) return <TableSkeleton rows={3} />;
  if (!tokens.data) {
    const { code, detail } = toProblem(tokens.error);
    return (
      <FailureState
        what="The tokens could not be read"
        code={code}
        detail={detail}
        onRetry={() => tokens.refetch()}
      />
    );
  }
  return (
    <>
      {tokens.data.items.length === 0 ? (
        <TeachingState
          icon={IconKey}
          title="No API tokens"
          text="A token lets a script do what you can do here. Send it as “Authorization: Bearer lst_…”."
        >
          {create}
        </TeachingState>
      ) : (
        <Paper withBorder p="sm">
          <DataTable
            label="API tokens"
            columns={tokenColumns(setRevoking)}
            rows={tokens.data.items}
            rowId={(token) => token.id}
            csvName="loadstone-tokens"
            toolbar={create}
          />
        </Paper>
      )}
      <CreateToken isOpen={isCreating} onClose={creating.close} />
      <RevokeToken token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function tokenColumns(revoke: (token: Token) => void): ReadonlyArray<DataColumn<Token>> {
  return [
    { id: 'name', header: 'Name', value: (token) => token.name },
    {
      id: 'created',
      header: 'Created',
      value: (token) => token.created_at,
      cell: (token) => <RelativeTime at={token.created_at} />,
    },
    {
      id: 'used',
      header: 'Last used',
      value: (token) => token.last_used_at,
      cell: (token) => (token.last_used_at ? <RelativeTime at={token.last_used_at} /> : 'never'),
    },
    {
      id: 'expires',
      header: 'Expires',
      value: (token) => token.expires_at,
      cell: (token) => (token.expires_at ? <RelativeTime at={token.expires_at} /> : 'never'),
    },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      cell: (token) => (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke(token)}>
          Revoke
        </Button>
      ),
      isActions: true,
    },
  ];
}

interface CreateTokenProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CreateToken({ isOpen, onClose }: CreateTokenProps): ReactElement {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (name: string) => createToken({ name }),
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const close = () => {
    create.reset();
    onClose();
  };
  const problem = create.error ? toProblem(create.error) : null;
  return (
    <Modal opened={isOpen} onClose={close} title="Create an API token" centered>
      <Stack>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        {create.data ? (
          <>
            <Secret title={`Token “${create.data.name}”`} value={create.data.token} />
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          </>
        ) : (
          <TokenForm isBusy={create.isPending} onSubmit={create.mutate} />
        )}
      </Stack>
    </Modal>
  );
}

interface TokenFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (name: string) => void;
}

function TokenForm({ isBusy, onSubmit }: TokenFormProps): ReactElement {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(name);
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <TextInput
        label="What it is for"
        placeholder="nightly script"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={isBusy}>
          Create
        </Button>
      </Group>
    </Stack>
  );
}

function RevokeToken({
  token,
  onClose,
}: {
  readonly token: Token | null;
  readonly onClose: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (tokenId: string) => revokeToken(tokenId),
    onError: (error) => showFailure('The token could not be revoked', error),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
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
