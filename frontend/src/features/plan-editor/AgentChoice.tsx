import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import { useRefusal } from './findings';

interface AgentChoiceProps {
  readonly agentId: string | null;
  readonly onChange: (agentId: string | null) => void;
}

export function AgentChoice({ agentId, onChange }: AgentChoiceProps): ReactElement {
  const { data } = useQuery(agentsQuery);
  return (
    <Select
      size="xs"
      label="Agent"
      placeholder="Any that can take it"
      clearable
      data={(data?.items ?? []).map(({ id, name, state }) => ({
        value: id,
        label: `${name} (${state.replace('_', ' ')})`,
      }))}
      value={agentId}
      error={useRefusal('agent_selector')}
      onChange={onChange}
    />
  );
}
