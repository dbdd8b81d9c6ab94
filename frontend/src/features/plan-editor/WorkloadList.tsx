import { ActionIcon, Button, Group, MultiSelect, Stack, Tabs, TextInput } from '@mantine/core';
import { IconCopy, IconPlus, IconX } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { BLANK_WORKLOAD } from './draft';
import { EntrySettings } from './EntrySettings';
import { FieldFindings, useRefusal, WorkloadPath } from './findings';
import { WorkloadFields } from './WorkloadFields';
import { duplicated, entriesOf, type WorkloadEntry, type Workloads, withEntries } from './workload-list';

interface WorkloadListProps {
  /** With the axes as they are typed. */
  readonly plan: PlanDefinition;
  readonly targetNames: readonly string[];
  readonly onChange: (workloads: Workloads) => void;
}

/** One workload, or several side by side: then they are an axis, and each may be of some targets only. */
export function WorkloadList({ plan, targetNames, onChange }: WorkloadListProps): ReactElement {
  const entries = entriesOf(plan);
  const isList = (plan.workloads ?? []).length > 0;
  const [chosen, setChosen] = useState(0);
  const place = Math.min(chosen, entries.length - 1);
  const entry = entries[place];
  const write = (next: readonly WorkloadEntry[]) => onChange(withEntries(next));
  const set = (patch: Partial<WorkloadEntry>) =>
    write(entries.map((one, index) => (index === place ? { ...one, ...patch } : one)));
  const add = () => {
    write([...entries, { name: `workload ${entries.length + 1}`, workload: BLANK_WORKLOAD }]);
    setChosen(entries.length);
  };
  return (
    <Stack gap="xs">
      {isList && <EntryTabs entries={entries} place={place} onPlace={setChosen} />}
      {isList && entry && (
        <EntryHead
          entry={entry}
          place={place}
          targetNames={targetNames}
          onChange={set}
          onDuplicate={() => write(duplicated(entries, place))}
          onRemove={
            entries.length > 1 ? () => write(entries.filter((_, index) => index !== place)) : undefined
          }
        />
      )}
      {entry && (
        <WorkloadPath.Provider value={isList ? `workloads.${place}.workload` : 'workload'}>
          <WorkloadFields key={place} workload={entry.workload} onChange={(workload) => set({ workload })} />
        </WorkloadPath.Provider>
      )}
      {isList && entry && (
        <EntrySettings key={`own ${place}`} entry={entry} place={place} plan={plan} onChange={set} />
      )}
      <FieldFindings path="workloads" />
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconPlus size={12} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={add}
      >
        Add a workload
      </Button>
    </Stack>
  );
}

interface EntryTabsProps {
  readonly entries: readonly WorkloadEntry[];
  readonly place: number;
  readonly onPlace: (place: number) => void;
}

function EntryTabs({ entries, place, onPlace }: EntryTabsProps): ReactElement {
  return (
    <Tabs variant="pills" value={String(place)} onChange={(next) => onPlace(Number(next))}>
      <Tabs.List aria-label="Workloads">
        {entries.map(({ name, targets }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries of unlike targets may share a name
          <Tabs.Tab key={index} value={String(index)} px="xs" py={4} fz="xs">
            {name || 'unnamed'}
            {targets && targets.length > 0 ? ` (${targets.join(', ')})` : ''}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

interface EntryHeadProps {
  readonly entry: WorkloadEntry;
  readonly place: number;
  readonly targetNames: readonly string[];
  readonly onChange: (patch: Partial<WorkloadEntry>) => void;
  readonly onDuplicate: () => void;
  readonly onRemove?: () => void;
}

function EntryHead(props: EntryHeadProps): ReactElement {
  const { entry, place, targetNames, onChange, onDuplicate, onRemove } = props;
  return (
    <Stack gap={6}>
      <Group gap={6} wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          label="Name of the workload"
          style={{ flex: 1 }}
          maxLength={100}
          value={entry.name}
          error={useRefusal(`workloads.${place}.name`)}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <ActionIcon variant="default" size={30} aria-label={`Duplicate ${entry.name}`} onClick={onDuplicate}>
          <IconCopy size={14} />
        </ActionIcon>
        {onRemove && (
          <ActionIcon variant="default" size={30} aria-label={`Remove ${entry.name}`} onClick={onRemove}>
            <IconX size={14} />
          </ActionIcon>
        )}
      </Group>
      <MultiSelect
        size="xs"
        label="Of these targets only"
        placeholder={entry.targets?.length ? undefined : 'all of them'}
        data={[...new Set([...targetNames, ...(entry.targets ?? [])])]}
        value={entry.targets ?? []}
        error={useRefusal(`workloads.${place}.targets`)}
        onChange={(targets) => onChange({ targets: targets.length > 0 ? targets : null })}
      />
    </Stack>
  );
}
