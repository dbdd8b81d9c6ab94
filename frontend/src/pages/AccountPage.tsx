import { Group, Stack, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { AccountFacts } from '@/features/session/AccountFacts';
import { LeaveTeam } from '@/features/session/LeaveTeam';
import { PasswordForm } from '@/features/session/PasswordForm';
import { SessionList } from '@/features/sessions/SessionList';

export default function AccountPage(): ReactElement {
  return (
    <>
      <PageHeader title="Your account" actions={<LeaveTeam />} />
      <Stack gap="lg">
        <Group align="start" gap="lg">
          <AccountFacts />
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
