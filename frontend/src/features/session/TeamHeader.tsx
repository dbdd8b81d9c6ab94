import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { PageHeader } from '@/components/PageHeader';

export function TeamHeader(): ReactElement {
  const { data: me } = useQuery(meQuery);
  return <PageHeader title={me ? `Settings of ${me.team.name}` : 'Settings'} />;
}
