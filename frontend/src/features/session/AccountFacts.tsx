import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { KeyValues } from '@/components/KeyValues';

export function AccountFacts(): ReactElement | null {
  const { data: me } = useQuery(meQuery);
  if (!me) return null;
  return (
    <KeyValues values={{ Name: me.user.name, 'E-mail': me.user.email, Team: me.team.name, Role: me.role }} />
  );
}
