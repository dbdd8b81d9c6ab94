import { Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { KeyValues } from '@/components/KeyValues';
import { PageHeader } from '@/components/PageHeader';
import { LeaveTeam } from '@/features/session/LeaveTeam';
import { PasswordForm } from '@/features/session/PasswordForm';
import { SessionList } from '@/features/sessions/SessionList';

export default function AccountPage(): ReactElement {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader title="Your account" actions={me && <LeaveTeam teamName={me.team.name} />} />
      <Stack gap="lg">
        <Group align="start" gap="lg">
          {me && (
            <KeyValues
              values={{ Name: me.user.name, 'E-mail': me.user.email, Team: me.team.name, Role: me.role }}
            />
          )}
          <PasswordForm />
        </Group>
        <section aria-labelledby="sessions">
          <Title order={2} size="h5" id="sessions" mb="xs">
            Where you are signed in
          </Title>
          <SessionList whose="mine" />
        </section>
      </Stack>
    </>
  );
}
