import { AppShell, Group, Kbd, Stack, Text, UnstyledButton } from '@mantine/core';
import {
  IconBell,
  IconBook2,
  IconCalendarTime,
  IconChartLine,
  IconClipboardList,
  IconCpu,
  IconDatabase,
  IconHome,
  IconKeyboard,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconPlaylist,
  IconScale,
  IconSearch,
  IconTrendingUp,
} from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useMay } from '@/api/use-may';
import { ButtonLink, NavItem } from '@/components/links';
import { AccountMenu } from '@/features/session/AccountMenu';
import { ColorSchemeChoice } from './color-scheme';

const PAGES = [
  { to: '/', label: 'Home', icon: IconHome },
  { to: '/runs', label: 'Runs', icon: IconChartLine },
  { to: '/compare', label: 'Compare', icon: IconScale },
  { to: '/trends', label: 'Trends', icon: IconTrendingUp },
  { to: '/alerts', label: 'Alerts', icon: IconBell },
  { to: '/dashboards', label: 'Dashboards', icon: IconLayoutDashboard },
  { to: '/queue', label: 'Queue', icon: IconPlaylist },
  { to: '/schedules', label: 'Schedules', icon: IconCalendarTime },
  { to: '/recipes', label: 'Recipes', icon: IconBook2 },
  { to: '/plans', label: 'Plans', icon: IconClipboardList },
  { to: '/targets', label: 'Targets', icon: IconDatabase },
  { to: '/agents', label: 'Agents', icon: IconCpu },
] as const;

export function Navigation({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }): ReactElement {
  const path = useRouterState({ select: (state) => state.location.pathname });
  // A run to be is none of the runs yet.
  const isExact = (to: string) => to === '/' || path === '/runs/new';
  return (
    <>
      <AppShell.Section>
        <Brand />
        <NewRunLink />
      </AppShell.Section>
      <AppShell.Section grow>
        {PAGES.map(({ to, label, icon: Glyph }) => (
          <NavItem
            key={to}
            to={to}
            label={label}
            activeOptions={{ exact: isExact(to) }}
            className="nav-link"
            leftSection={<Glyph size={17} stroke={1.7} aria-hidden="true" />}
          />
        ))}
      </AppShell.Section>
      <AppShell.Section>
        <Stack gap="xs">
          <SideButton
            icon={<IconSearch size={15} aria-hidden="true" />}
            label="Search"
            keys="Ctrl K"
            onClick={onSearch}
          />
          <SideButton
            icon={<IconKeyboard size={15} aria-hidden="true" />}
            label="Shortcuts"
            keys="?"
            onClick={onHelp}
          />
          <ColorSchemeChoice />
          <AccountMenu />
        </Stack>
      </AppShell.Section>
    </>
  );
}

function NewRunLink(): ReactElement | null {
  const mayEdit = useMay('editor');
  if (!mayEdit) return null;
  return (
    <ButtonLink
      to="/runs/new"
      fullWidth
      mb="sm"
      leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
    >
      New run
    </ButtonLink>
  );
}

function Brand(): ReactElement {
  return (
    <Group gap={8} mb="md" px={4} visibleFrom="sm">
      <img src="/loadstone.svg" alt="" width={24} height={24} />
      <Text fw={700} fz="lg">
        Loadstone
      </Text>
    </Group>
  );
}

interface SideButtonProps {
  readonly icon: ReactElement;
  readonly label: string;
  readonly keys: string;
  readonly onClick: () => void;
}

function SideButton({ icon, label, keys, onClick }: SideButtonProps): ReactElement {
  return (
    <UnstyledButton onClick={onClick} px={8} py={2} fz="sm" c="dimmed">
      <Group justify="space-between" wrap="nowrap">
        <Group gap={8} wrap="nowrap">
          {icon}
          {label}
        </Group>
        <Kbd size="xs">{keys}</Kbd>
      </Group>
    </UnstyledButton>
  );
}
