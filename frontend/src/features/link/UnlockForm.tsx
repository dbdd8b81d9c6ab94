import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { unlockLink } from '@/api/shares';
import { toProblem } from '@/lib/problem';

interface UnlockFormProps {
  readonly token: string;
  readonly onUnlocked: () => void;
}

export function UnlockForm({ token, onUnlocked }: UnlockFormProps): ReactElement {
  const [password, setPassword] = useState('');
  const unlock = useMutation({
    mutationFn: () => unlockLink(token, password),
    onSuccess: onUnlocked,
  });
  const problem = unlock.error ? toProblem(unlock.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    unlock.mutate();
  };
  return (
    <Paper withBorder p="lg" maw={420} mx="auto" my="xl" component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Title order={1} size="h4">
          This link has a password
        </Title>
        <Text size="sm" c="dimmed">
          It came with the link, or ask whoever sent it.
        </Text>
        <PasswordInput
          label="Password"
          required
          maxLength={200}
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem && `${problem.title}. ${problem.detail}`}
        />
        <Button type="submit" loading={unlock.isPending}>
          Open
        </Button>
      </Stack>
    </Paper>
  );
}
