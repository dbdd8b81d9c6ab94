import { Group } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ButtonLink } from '@/components/links';
import { TeamHeader } from '@/features/session/TeamHeader';
import { SETTINGS_TABS } from './settings-tabs';

/** The frame of every page under `/settings`: what concerns the team as a whole. */
export default function SettingsPage(): ReactElement {
  return (
    <>
      <TeamHeader />
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
