import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMay } from '@/api/use-may';
import { SessionList } from './SessionList';

/** The sessions this person may end: the team's for its admins, their own for everyone else. */
export function SignedIn(): ReactElement {
  const isAdmin = useMay('admin');
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {isAdmin
          ? 'Browsers that are signed in to this team now. Ending a session signs it out at once.'
          : 'Browsers in which you are signed in now. Ending a session signs it out at once.'}
      </Text>
      <SessionList whose={isAdmin ? 'team' : 'mine'} />
    </Stack>
  );
}
