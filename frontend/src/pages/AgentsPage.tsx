import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { AgentList } from '@/features/agents/AgentList';

export default function AgentsPage(): ReactElement {
  return (
    <>
      <PageHeader title="Agents" />
      <AgentList />
    </>
  );
}
