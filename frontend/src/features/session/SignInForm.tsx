import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { meQuery, signIn } from '@/api/session';
import { FailureState } from '@/components/FailureState';
import { toProblem } from '@/lib/problem';

function Greeting(): ReactElement {
  return (
    <div>
      <Title order={1} size="h3">
        Sign in to Loadstone
      </Title>
      <Text size="sm" c="dimmed">
        Which store, in which configuration, at what load.
      </Text>
    </div>
  );
}

export function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }): ReactElement {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: (me) => {
      // What another person saw in this tab is none of the next one's business.
      queries.clear();
      queries.setQueryData(meQuery.queryKey, me);
      onSignedIn();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate({ email: email.trim(), password });
  };
  const problem = attempt.error ? toProblem(attempt.error) : null;
  return (
    <Paper withBorder p="xl" w="100%" maw={380} component="form" onSubmit={submit} aria-label="Sign in">
      <Stack>
        <Greeting />
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={attempt.isPending}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          The first account is printed once by <code>make demo</code> and kept in{' '}
          <code>.loadstone/demo.json</code>.
        </Text>
      </Stack>
    </Paper>
  );
}
