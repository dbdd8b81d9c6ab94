import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { createInvitation, invitationsQuery, type Role } from '@/api/team';
import { FailureState } from '@/components/FailureState';
import { Secret } from '@/components/Secret';
import { toProblem } from '@/lib/problem';
import { useChange } from '@/lib/use-change';
import { ROLE_CHOICES, ROLE_MEANING } from './roles';

const LIVES = [
  { value: '1', label: 'for a day' },
  { value: '7', label: 'for a week' },
  { value: '30', label: 'for 30 days' },
];

interface InviteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function InviteDialog({ isOpen, onClose }: InviteDialogProps): ReactElement {
  const invite = useChange({ act: createInvitation, rereads: [invitationsQuery.queryKey] });
  const close = () => {
    invite.reset();
    onClose();
  };
  const problem = invite.error ? toProblem(invite.error) : null;
  return (
    <Modal opened={isOpen} onClose={close} title="Invite someone to the team" centered>
      <Stack>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        {invite.data ? (
          <>
            <Secret title="Send this link" value={invite.data.url}>
              It lets one person in and cannot be shown again.
            </Secret>
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          </>
        ) : (
          <InviteForm
            isBusy={invite.isPending}
            onSubmit={(role, email, days) =>
              invite.mutate({ role, email: email || null, expires_in_days: days })
            }
          />
        )}
      </Stack>
    </Modal>
  );
}

interface InviteFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (role: Role, email: string, days: number) => void;
}

function InviteForm({ isBusy, onSubmit }: InviteFormProps): ReactElement {
  const [role, setRole] = useState<Role>('editor');
  const [email, setEmail] = useState('');
  const [days, setDays] = useState('7');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(role, email.trim(), Number(days));
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <NativeSelect
        label="Role"
        description={`Who ${ROLE_MEANING[role]}.`}
        data={ROLE_CHOICES}
        value={role}
        data-autofocus
        onChange={(event) => setRole(event.currentTarget.value as Role)}
      />
      <TextInput
        label="E-mail"
        type="email"
        description="If given, only this person can use the link. Nothing is sent: you pass the link on."
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <NativeSelect
        label="The link is good"
        data={LIVES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={isBusy}>
          Make the link
        </Button>
      </Group>
    </Stack>
  );
}
