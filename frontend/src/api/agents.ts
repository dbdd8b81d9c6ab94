import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Agent = Schemas['Agent'];

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => dataOf(client.GET('/api/v1/agents', { params: { query: { limit: 200 } } })),
  refetchInterval: 3000,
});

export function patchAgent(agentId: string, body: Schemas['PatchAgent']): Promise<Agent> {
  return dataOf(client.PATCH('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } }, body }));
}

export async function revokeAgent(agentId: string): Promise<void> {
  await client.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } } });
}

export function createEnrollment(): Promise<Schemas['Enrollment']> {
  return dataOf(client.POST('/api/v1/agent-enrollments'));
}
