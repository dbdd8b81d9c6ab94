import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { SessionList } from '@/features/sessions/SessionList';

export default function SettingsSessionsPage(): ReactElement {
  const { data: me } = useQuery(meQuery);
  const whose = me?.role === 'admin' ? 'team' : 'mine';
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {whose === 'team'
          ? 'Browsers that are signed in to this team now. Ending a session signs it out at once.'
          : 'Browsers in which you are signed in now. Ending a session signs it out at once.'}
      </Text>
      <SessionList whose={whose} />
    </Stack>
  );
}
