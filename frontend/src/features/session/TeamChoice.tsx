import { Menu } from '@mantine/core';
import { IconCheck, IconSwitchHorizontal } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { switchTeam, teamsQuery } from '@/api/team';
import { showFailure } from '@/components/notices';

/** The person's teams, where there are several to choose from. */
export function TeamChoice(): ReactElement | null {
  const { data: teams } = useQuery(teamsQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const change = useMutation({
    mutationFn: switchTeam,
    onSuccess: async (me) => {
      // What is on the page belongs to the team before.
      queries.clear();
      queries.setQueryData(meQuery.queryKey, me);
      await navigate({ to: '/', reloadDocument: true });
    },
    onError: (error) => showFailure('The team could not be switched', error),
  });
  if (!teams || teams.items.length < 2) return null;
  return (
    <>
      <Menu.Label>Teams</Menu.Label>
      {teams.items.map(({ id, name, role, is_current }) => (
        <Menu.Item
          key={id}
          leftSection={is_current ? <IconCheck size={15} /> : <IconSwitchHorizontal size={15} />}
          aria-current={is_current || undefined}
          onClick={() => !is_current && change.mutate(id)}
        >
          {name} · {role}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}
