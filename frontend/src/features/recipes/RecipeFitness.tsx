import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import { type PlanDefinition, type Preview, previewQuery } from '@/api/plans';
import { CopyRow } from '@/components/CopyRow';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { toProblem } from '@/lib/problem';
import { type StoreNeed, storeNeeds } from './words';

interface RecipeFitnessProps {
  readonly definition: PlanDefinition;
}

/** Who can take it now, and what the others lack. */
export function RecipeFitness({ definition }: RecipeFitnessProps): ReactElement {
  const preview = useQuery(previewQuery(definition));
  const agents = useQuery({ ...agentsQuery, refetchInterval: false });
  const needs = storeNeeds(definition.targets, agents.data?.items ?? []);
  const missing = needs.filter(({ by }) => by.length === 0);
  return (
    <Stack gap="xs" mih={48}>
      {preview.isError && toProblem(preview.error).errors.length === 0 && (
        <FailureState
          what="Who can take it could not be asked"
          code={toProblem(preview.error).code}
          detail={toProblem(preview.error).detail}
          onRetry={() => preview.refetch()}
        />
      )}
      {preview.data && <Takers agents={preview.data.agents} />}
      {preview.data && <Findings preview={preview.data} />}
      {agents.data && missing.map((need) => <MissingStore key={need.kind} need={need} />)}
    </Stack>
  );
}

function Takers({ agents }: Pick<Preview, 'agents'>): ReactElement {
  const able = agents.filter((agent) => agent.can_take).map(({ name }) => name);
  const others = agents.filter((agent) => !agent.can_take);
  return (
    <div>
      <Text size="sm" fw={550}>
        {able.length > 0 ? `Can be taken by ${able.join(', ')}.` : 'No agent can take it now.'}
      </Text>
      {agents.length === 0 && (
        <Text size="sm">
          None is enrolled: <TextLink to="/agents">enroll one</TextLink> first.
        </Text>
      )}
      {others.map(({ id, name, reason }) => (
        <Text key={id} size="xs" c="dimmed">
          Not by {name}: {reason}
        </Text>
      ))}
    </div>
  );
}

/** What stands against it, and what would be left out. */
function Findings({ preview }: { readonly preview: Preview }): ReactElement | null {
  const said = [...preview.refusals, ...preview.warnings];
  if (said.length === 0) return null;
  return (
    <List size="xs" spacing={2}>
      {said.map(({ code, path, message }) => (
        <List.Item key={`${path}${code}${message}`}>{message}</List.Item>
      ))}
    </List>
  );
}

/** That it is missing has been said; here is what to do about it. */
function MissingStore({ need }: { readonly need: StoreNeed }): ReactElement {
  const { kind, targets, remedies } = need;
  return (
    <div>
      {remedies.map(({ agent, command }) => (
        <CopyRow
          key={agent}
          label={`What gets ${kind} on ${agent}, for ${targets.join(', ')}`}
          value={command}
        />
      ))}
    </div>
  );
}
