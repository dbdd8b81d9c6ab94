import { Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconLogout, IconSelector, IconServer, IconUser, IconUsers } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { type Me, meQuery, signOut } from '@/api/session';
import { MenuLink } from '@/components/links';
import { TeamChoice } from './TeamChoice';

export function AccountMenu(): ReactElement | null {
  const { data: me } = useQuery(meQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      queries.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  if (!me) return null;
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton px={8} py={4} pos="relative">
          <AccountName me={me} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user.email}</Menu.Label>
        <TeamChoice />
        <MenuLink to="/settings/members" leftSection={<IconUsers size={15} />}>
          Team settings
        </MenuLink>
        {me.is_instance_admin && (
          <MenuLink to="/admin" leftSection={<IconServer size={15} />}>
            Installation
          </MenuLink>
        )}
        <MenuLink to="/account" leftSection={<IconUser size={15} />}>
          Your account
        </MenuLink>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountName({ me }: { readonly me: Me }): ReactElement {
  return (
    <>
      <span className="visually-hidden">Account of </span>
      <Group gap={8} wrap="nowrap">
        <IconUser size={16} aria-hidden="true" />
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text size="sm" truncate>
            {me.user.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {me.team.name} · {me.role}
          </Text>
        </div>
        <IconSelector size={14} aria-hidden="true" />
      </Group>
    </>
  );
}
