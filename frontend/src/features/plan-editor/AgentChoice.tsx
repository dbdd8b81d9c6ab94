import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import { agentChoices } from '@/lib/agent-selector';
import { useRefusal } from './findings';

interface AgentChoiceProps {
  readonly agentChoice: string | null;
  readonly onChange: (agentChoice: string | null) => void;
}

export function AgentChoice({ agentChoice, onChange }: AgentChoiceProps): ReactElement {
  const { data } = useQuery(agentsQuery);
  return (
    <Select
      size="xs"
      label="Agents"
      placeholder="Any that can take it"
      clearable
      data={agentChoices(data?.items ?? [], agentChoice)}
      value={agentChoice}
      error={useRefusal('agent_selector')}
      onChange={onChange}
    />
  );
}
