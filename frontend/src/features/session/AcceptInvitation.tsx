import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { Schemas } from '@/api/client';
import { type Me, meQuery } from '@/api/session';
import { acceptInvitation, invitationQuery } from '@/api/team';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { QueryPart } from '@/components/QueryPart';
import { RelativeTime } from '@/components/RelativeTime';
import { toProblem } from '@/lib/problem';
import { PASSWORD_MIN_LENGTH } from './PasswordForm';

type View = Schemas['InvitationView'];

interface AcceptInvitationProps {
  readonly token: string;
  readonly onJoined: () => void;
}

/** What the link says, and the way in: as the person signed in, or as a new one. */
export function AcceptInvitation({ token, onJoined }: AcceptInvitationProps): ReactElement {
  const invitation = useQuery(invitationQuery(token));
  const me = useQuery(meQuery);
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: (body: Schemas['AcceptInvitation']) => acceptInvitation(token, body),
    onSuccess: (joined) => {
      // The invitation is still on the page, and would be asked for once more: it is used up.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'invitation' });
      queries.setQueryData(meQuery.queryKey, joined);
      onJoined();
    },
  });
  const problem = accept.error ? toProblem(accept.error) : null;
  return (
    <Paper withBorder p="xl" w="100%" maw={420}>
      {invitation.isError && (
        <Title order={1} size="h3" mb="sm">
          Invitation
        </Title>
      )}
      <QueryPart query={invitation} what="This invitation cannot be used">
        {(view) => (
          <Stack>
            <Greeting view={view} />
            {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
            {me.data ? (
              <AsPersonSignedIn me={me.data} isBusy={accept.isPending} onAccept={() => accept.mutate({})} />
            ) : view.has_account ? (
              <SignInFirst token={token} />
            ) : (
              <NewcomerForm view={view} token={token} isBusy={accept.isPending} onAccept={accept.mutate} />
            )}
          </Stack>
        )}
      </QueryPart>
    </Paper>
  );
}

function Greeting({ view }: { readonly view: View }): ReactElement {
  return (
    <div>
      <Title order={1} size="h3">
        Join {view.team_name} on Loadstone
      </Title>
      <Text size="sm" c="dimmed">
        {view.invited_by ?? 'Someone who has left'} invites you as {view.role}. The link expires{' '}
        <RelativeTime at={view.expires_at} />.
      </Text>
    </div>
  );
}

interface AsPersonSignedInProps {
  readonly me: Me;
  readonly isBusy: boolean;
  readonly onAccept: () => void;
}

function AsPersonSignedIn({ me, isBusy, onAccept }: AsPersonSignedInProps): ReactElement {
  return (
    <>
      <Text size="sm">
        You are signed in as <strong>{me.user.name}</strong> ({me.user.email}).
      </Text>
      <Button loading={isBusy} onClick={onAccept}>
        Join as {me.user.name}
      </Button>
    </>
  );
}

function SignInFirst({ token }: { readonly token: string }): ReactElement {
  return (
    <>
      <Text size="sm">You have an account already. Sign in, and this page comes back.</Text>
      <ButtonLink to="/sign-in" search={{ next: `/invite/${token}` }}>
        Sign in
      </ButtonLink>
    </>
  );
}

interface NewcomerFormProps {
  readonly view: View;
  readonly token: string;
  readonly isBusy: boolean;
  readonly onAccept: (body: Schemas['AcceptInvitation']) => void;
}

function NewcomerForm({ view, token, isBusy, onAccept }: NewcomerFormProps): ReactElement {
  const [name, setName] = useState('');
  const [email, setEmail] = useState(view.email ?? '');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAccept({ name, email, password });
  };
  return (
    <Stack component="form" onSubmit={submit} aria-label="Your account">
      <TextInput
        label="Your name"
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        readOnly={view.email !== null}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        description={`At least ${PASSWORD_MIN_LENGTH} characters`}
        autoComplete="new-password"
        required
        minLength={PASSWORD_MIN_LENGTH}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" loading={isBusy}>
        Join
      </Button>
      <ButtonLink to="/sign-in" search={{ next: `/invite/${token}` }} variant="subtle">
        I have an account
      </ButtonLink>
    </Stack>
  );
}
