import { Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import type { Placement } from './draft';
import { useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';

interface PlacementFieldsProps {
  readonly placement: Placement;
  /** JSON path of the target. */
  readonly path: string;
  readonly onChange: (placement: Placement) => void;
}

const MIB = 1024 ** 2;

/** Which cores, memory and disk the store gets; empty is wherever the agent has room. */
export function PlacementFields({ placement, path, onChange }: PlacementFieldsProps): ReactElement {
  const { data: agents } = useQuery({ ...agentsQuery, refetchInterval: false });
  const offered = (agents?.items ?? []).flatMap(({ inventory }) => inventory?.data_directories ?? []);
  const { cpus, memory_limit_bytes, data_directory, drop_page_cache } = placement;
  const names = [...offered.map(({ name }) => name), ...(data_directory ? [data_directory] : [])];
  const set = (patch: Partial<Placement>) => onChange({ ...placement, ...patch });
  return (
    <SimpleGrid cols={2} spacing="xs" pl={34}>
      <TextInput
        size="xs"
        label="Cores"
        placeholder="any, or 0-3"
        value={cpus ?? ''}
        error={useRefusal(`${path}.placement.cpus`)}
        onChange={({ currentTarget }) => set({ cpus: currentTarget.value || null })}
      />
      <PlanNumber
        path={`${path}.placement.memory_limit_bytes`}
        label="Memory at most (MiB)"
        placeholder="no limit"
        value={memory_limit_bytes ? memory_limit_bytes / MIB : null}
        onChange={(mib) => set({ memory_limit_bytes: Number.isFinite(mib) ? Math.round(mib * MIB) : null })}
      />
      <Select
        size="xs"
        label="Data directory"
        placeholder="the agent's own"
        clearable
        data={[...new Set(names)]}
        value={data_directory ?? null}
        error={useRefusal(`${path}.placement.data_directory`)}
        onChange={(next) => set({ data_directory: next })}
      />
      <Switch
        size="xs"
        mt={26}
        label="Drop the page cache"
        checked={drop_page_cache}
        onChange={({ currentTarget }) => set({ drop_page_cache: currentTarget.checked })}
      />
    </SimpleGrid>
  );
}
