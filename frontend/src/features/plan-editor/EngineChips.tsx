import { Chip, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import type { PlanDefinition } from '@/api/plans';
import { engineChoices, type PlanEngine } from './engines';
import { FieldFindings } from './findings';

interface EngineChipsProps {
  readonly engines: PlanDefinition['engines'];
  readonly onChange: (engines: PlanEngine[]) => void;
}

/** Which programs make the load. Several are an axis: the same work through each of them. */
export function EngineChips({ engines, onChange }: EngineChipsProps): ReactElement {
  const { data: agents } = useQuery({ ...agentsQuery, refetchInterval: false });
  const chosen = engines?.map(({ name }) => name) ?? ['native'];
  const choices = engineChoices(agents?.items ?? [], chosen);
  const missing = choices.filter(({ reason }) => reason !== null);
  const choose = (names: string[]) => {
    const kept = names.length > 0 ? names : ['native'];
    onChange(kept.map((name) => engines?.find((one) => one.name === name) ?? { name }));
  };
  return (
    <Stack gap={6}>
      <Chip.Group multiple value={chosen} onChange={choose}>
        <Group gap={4} role="group" aria-label="Engines">
          {choices
            .filter(({ name, reason }) => reason === null || chosen.includes(name))
            .map(({ name, title }) => (
              <Chip key={name} size="xs" value={name} variant="outline">
                {title}
              </Chip>
            ))}
        </Group>
      </Chip.Group>
      <FieldFindings path="engines" />
      {missing.length > 0 && (
        <details>
          <summary className="quiet-summary">{missing.length} more that no agent has</summary>
          <List size="xs" mt={4}>
            {missing.map(({ name, title, reason }) => (
              <List.Item key={name}>
                {title}:{' '}
                <Text span size="xs" c="dimmed" className="definition">
                  {reason}
                </Text>
              </List.Item>
            ))}
          </List>
        </details>
      )}
    </Stack>
  );
}
