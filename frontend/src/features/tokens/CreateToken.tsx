import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { Schemas } from '@/api/client';
import { createToken } from '@/api/session';
import { FailureState } from '@/components/FailureState';
import { Secret } from '@/components/Secret';
import { toProblem } from '@/lib/problem';
import { useChange } from '@/lib/use-change';

type Wanted = Schemas['CreateApiToken'];
type Role = Schemas['Me']['role'];

const DAY_MS = 86_400_000;
const SCOPES = [
  { value: 'read', label: 'read: sees everything, changes nothing', needs: 'viewer' },
  { value: 'run', label: 'run: also plans, runs, schedules, links', needs: 'editor' },
  { value: 'manage', label: 'manage: also members, agents, tokens', needs: 'admin' },
] as const;
const RANK = { viewer: 0, editor: 1, admin: 2 } as const;
const LIVES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: '', label: 'never' },
];

interface CreateTokenProps {
  readonly kind: 'personal' | 'team';
  readonly role: Role;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateToken({ kind, role, isOpen, onClose }: CreateTokenProps): ReactElement {
  const create = useChange({ act: createToken, rereads: [['tokens']] });
  const close = () => {
    create.reset();
    onClose();
  };
  const problem = create.error ? toProblem(create.error) : null;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={kind === 'team' ? 'Create a token of the team' : 'Create a token of your own'}
      centered
    >
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
          <TokenForm
            role={role}
            isBusy={create.isPending}
            onSubmit={(wanted) => create.mutate({ ...wanted, kind })}
          />
        )}
      </Stack>
    </Modal>
  );
}

interface TokenFormProps {
  readonly role: Role;
  readonly isBusy: boolean;
  readonly onSubmit: (wanted: Pick<Wanted, 'name' | 'scope' | 'expires_at'>) => void;
}

function TokenForm({ role, isBusy, onSubmit }: TokenFormProps): ReactElement {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Wanted['scope']>('read');
  const [days, setDays] = useState('90');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expires_at = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    onSubmit({ name, scope, expires_at });
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
      <NativeSelect
        label="What it may do"
        data={SCOPES.filter(({ needs }) => RANK[needs] <= RANK[role]).map(({ value, label }) => ({
          value,
          label,
        }))}
        value={scope ?? 'read'}
        onChange={(event) => setScope(event.currentTarget.value as Wanted['scope'])}
      />
      <NativeSelect
        label="It expires"
        data={LIVES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={isBusy}>
          Create
        </Button>
      </Group>
    </Stack>
  );
}
