import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { ButtonLink } from '@/components/links';
import { PageHeader } from '@/components/PageHeader';
import { SETTINGS_TABS } from './settings-tabs';

/** The frame of every page under `/settings`: what concerns the team as a whole. */
export default function SettingsPage(): ReactElement {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader title={me ? `Settings of ${me.team.name}` : 'Settings'} />
      <Group component="nav" aria-label="Settings" gap={4} mb="md">
        {SETTINGS_TABS.map(({ to, label }) => (
          <ButtonLink key={to} to={to} variant="subtle" size="compact-md" activeProps={{ variant: 'light' }}>
            {label}
          </ButtonLink>
        ))}
      </Group>
      <Outlet />
    </>
  );
}
