import { Button, Checkbox, Group, Paper, PasswordInput, Stack, Title } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { changePassword } from '@/api/team';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import { toProblem } from '@/lib/problem';
import { useChange } from '@/lib/use-change';

type Changed = Awaited<ReturnType<typeof changePassword>>;

export const PASSWORD_MIN_LENGTH = 10;

export function PasswordForm(): ReactElement {
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const [revokesTokens, setRevokesTokens] = useState(false);
  const change = useChange({
    act: changePassword,
    rereads: [['sessions'], ['tokens']],
    onDone: (done: Changed) => {
      setCurrent('');
      setWanted('');
      setRevokesTokens(false);
      showDone(`The password is changed. Your other sessions have ended. ${saidOfTokens(done)}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ current_password: current, new_password: wanted, revoke_tokens: revokesTokens });
  };
  const problem = change.error ? toProblem(change.error) : null;
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} aria-labelledby="password" maw={460}>
      <Stack gap="sm">
        <Title order={2} size="h5" id="password">
          Password
        </Title>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN_LENGTH} characters. Your other sessions end.`}
          autoComplete="new-password"
          required
          minLength={PASSWORD_MIN_LENGTH}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <RevokeTokens value={revokesTokens} onChange={setRevokesTokens} />
        <Submit isPending={change.isPending} />
      </Stack>
    </Paper>
  );
}

function saidOfTokens({ tokens_revoked, tokens_valid }: Changed): string {
  if (tokens_revoked) {
    return `Revoked API tokens: ${tokens_revoked}.`;
  }
  return tokens_valid ? `API tokens that stay valid: ${tokens_valid}.` : 'You have no API tokens.';
}

function RevokeTokens({
  value,
  onChange,
}: {
  value: boolean;
  onChange: (value: boolean) => void;
}): ReactElement {
  return (
    <Checkbox
      label="Revoke my API tokens too"
      description="Otherwise they stay valid, in all your teams."
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function Submit({ isPending }: { isPending: boolean }): ReactElement {
  return (
    <Group justify="flex-end">
      <Button type="submit" loading={isPending}>
        Change the password
      </Button>
    </Group>
  );
}
