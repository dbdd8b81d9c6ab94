import type { ReactElement } from 'react';
import { AgentList } from '@/features/agents/AgentList';

export default function AgentsPage(): ReactElement {
  return <AgentList />;
}
