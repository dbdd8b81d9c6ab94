import { AppShell, Burger, Group, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from 'react';
import { Navigation } from './Navigation';
import { ShortcutHelp } from './ShortcutHelp';
import { useShortcuts } from './shortcuts';

const CommandPalette = lazy(() => import('./CommandPalette'));

/** Navigation beside every page, the palette and the shortcuts over it. */
export function Shell(): ReactElement {
  const [isMenuOpen, menu] = useDisclosure(false);
  const [isHelpOpen, help] = useDisclosure(false);
  const [paletteCalls, setPaletteCalls] = useState(0);
  const actions = useMemo(
    () => ({ showHelp: help.open, showPalette: () => setPaletteCalls((calls) => calls + 1) }),
    [help.open],
  );
  useShortcuts(actions);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever the page changes
  useEffect(() => menu.close(), [path]);

  return (
    <AppShell
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <a href="#main" className="skip-link">
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="sm" justify="space-between">
          <Group gap="xs">
            <Burger opened={isMenuOpen} onClick={menu.toggle} size="sm" aria-label="Menu" />
            <Text fw={650}>Loadstone</Text>
          </Group>
          <UnstyledButton onClick={actions.showPalette} c="dimmed" fz="sm">
            Search
          </UnstyledButton>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <Navigation onSearch={actions.showPalette} onHelp={help.open} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <div className="page-body">
          <Outlet />
        </div>
      </AppShell.Main>
      <ShortcutHelp isOpen={isHelpOpen} onClose={help.close} />
      {paletteCalls > 0 && (
        <Suspense>
          <CommandPalette calls={paletteCalls} />
        </Suspense>
      )}
    </AppShell>
  );
}
