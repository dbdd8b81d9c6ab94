import { Autocomplete, SimpleGrid, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Agent, agentsQuery } from '@/api/agents';
import { NumberField } from '@/components/NumberField';
import type { TargetFieldsProps } from './TargetDialog';

/** Cores, memory and disk of the host that starts the store. */
export function PlacementFields({ draft, onChange, faultAt }: TargetFieldsProps): ReactElement {
  const agents = useQuery(agentsQuery).data?.items ?? [];
  return (
    <>
      <Title order={3} size="h6">
        Place on the host
      </Title>
      <Text size="xs" c="dimmed">
        What is left empty is the agent's own choice. An agent that cannot keep to it does not take the run.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Cores"
          description="As the kernel lists them: 0-7 or 0,2,4."
          placeholder={cpusOf(agents)}
          value={draft.cpus}
          error={faultAt('placement.cpus')}
          onChange={(event) => onChange({ cpus: event.currentTarget.value })}
        />
        <NumberField
          label="Memory limit, MiB"
          description="Of all its processes; beyond it they are killed."
          placeholder="no limit"
          min={16}
          value={draft.memoryLimitMib}
          error={faultAt('placement.memory_limit_bytes')}
          onChange={(limit) => onChange({ memoryLimitMib: Number.isNaN(limit) ? null : limit })}
        />
        <Autocomplete
          label="Data directory"
          description="A name from the agent's configuration."
          placeholder="the agent's own"
          data={directoriesOf(agents)}
          value={draft.dataDirectory}
          error={faultAt('placement.data_directory')}
          onChange={(name) => onChange({ dataDirectory: name })}
        />
        <Switch
          label="Drop the page cache"
          description="Its files leave the cache before the load, and again after a prefill: reads come from the disk."
          checked={draft.dropsPageCache}
          onChange={(event) => onChange({ dropsPageCache: event.currentTarget.checked })}
        />
      </SimpleGrid>
    </>
  );
}

function cpusOf(agents: readonly Agent[]): string {
  const known = new Set(agents.flatMap(({ inventory }) => (inventory?.cpus ? [inventory.cpus] : [])));
  return known.size > 0 ? `agents have ${[...known].join(' and ')}` : '0-3';
}

function directoriesOf(agents: readonly Agent[]): string[] {
  const names = agents.flatMap(({ inventory }) =>
    (inventory?.data_directories ?? []).map(({ name }) => name),
  );
  return [...new Set(names)];
}
