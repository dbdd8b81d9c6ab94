import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { IconCpu, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type StoreKind, storeKindsQuery, type Target, targetsQuery } from '@/api/targets';
import { lookOf } from '@/components/charts/palette';
import { SeriesKey } from '@/components/charts/SeriesKey';
import { useScheme } from '@/components/charts/useScheme';
import { formatBytes } from '@/lib/format';
import { NO_PLACEMENT, type Placement, type PlanTarget } from './draft';
import { FieldFindings, useRefusal } from './findings';
import { PlacementFields } from './PlacementFields';

interface TargetPickerProps {
  readonly chosen: readonly PlanTarget[];
  readonly onChange: (targets: PlanTarget[]) => void;
}

/** Saved targets, and any profile of a managed store. Several: each becomes a line. */
export function TargetPicker({ chosen, onChange }: TargetPickerProps): ReactElement {
  const { data: saved } = useQuery(targetsQuery);
  const { data: kinds } = useQuery(storeKindsQuery);
  const refusal = useRefusal('targets');
  const choices = [
    ...(saved && saved.items.length > 0
      ? [{ group: 'Saved targets', items: saved.items.map(savedChoice) }]
      : []),
    ...(kinds?.items ?? []).map((kind) => ({
      group: `${kind.title}, started by the agent`,
      items: managedChoices(kind),
    })),
  ];
  const add = (value: string | null) => {
    const target = value === null ? null : readChoice(value, kinds?.items ?? []);
    if (target) onChange([...chosen, target]);
  };
  return (
    <Stack gap={6}>
      {chosen.map((target, index) => (
        <ChosenTarget
          // biome-ignore lint/suspicious/noArrayIndexKey: the same target may stand there twice, and rows hold no state
          key={index}
          index={index}
          name={targetName(target, saved?.items)}
          detail={targetDetail(target, saved?.items)}
          onRemove={() => onChange(chosen.filter((_, place) => place !== index))}
          placement={'target_id' in target ? null : (target.placement ?? NO_PLACEMENT)}
          onPlacement={(placement) =>
            onChange(chosen.map((one, place) => (place === index ? { ...one, placement } : one)))
          }
        />
      ))}
      <Select
        size="xs"
        aria-label="Add a target"
        placeholder="Add a target…"
        searchable
        value={null}
        data={choices}
        onChange={add}
        maxDropdownHeight={320}
        nothingFoundMessage="No such target"
        error={chosen.length === 0 ? refusal : undefined}
      />
      <FieldFindings path="targets" onlyWarnings={chosen.length === 0} />
    </Stack>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

function savedChoice(target: Target): Choice {
  return { value: `saved:${target.id}`, label: target.name };
}

/** Every profile in the kind's first protocol, then in its others. */
function managedChoices({ kind, title, profiles, protocols }: StoreKind): Choice[] {
  return protocols.flatMap((spoken, place) =>
    profiles.map((profile) => ({
      value: `managed:${kind}:${profile.name}${place === 0 ? '' : `:${spoken.protocol}`}`,
      label: `${title}: ${profile.title}${place === 0 ? '' : `, over ${spoken.title.toLowerCase()}`}`,
    })),
  );
}

function readChoice(value: string, kinds: readonly StoreKind[]): PlanTarget | null {
  const [how, first = '', profile = '', protocol] = value.split(':');
  if (how === 'saved') return { target_id: first };
  const kind = kinds.find((candidate) => candidate.kind === first);
  if (!kind) return null;
  const isPlain = profile === 'default' || profile === 'none';
  const name = isPlain ? kind.title : `${kind.title} ${profile}`;
  const spoken = kind.protocols.find((one) => one.protocol === protocol);
  if (!spoken)
    return { kind: kind.kind, profile, options: {}, name, optional: false, placement: NO_PLACEMENT };
  const spokenName = `${name}, ${spoken.title.toLowerCase()}`;
  return {
    kind: kind.kind,
    profile,
    options: {},
    protocol: spoken.protocol,
    name: spokenName,
    optional: false,
    placement: NO_PLACEMENT,
  };
}

export function targetName(target: PlanTarget, saved: readonly Target[] | undefined): string {
  if (!('target_id' in target)) return target.name ?? `${target.kind} ${target.profile}`;
  return saved?.find(({ id }) => id === target.target_id)?.name ?? 'saved target';
}

function targetDetail(target: PlanTarget, saved: readonly Target[] | undefined): string {
  if ('target_id' in target) {
    const found = saved?.find(({ id }) => id === target.target_id);
    if (!found) return 'saved';
    return found.mode === 'external'
      ? `${found.kind} at ${found.host}:${found.port}`
      : `${found.kind}, profile ${found.profile}`;
  }
  const options = Object.entries(target.options ?? {}).map(([name, value]) => `${name} ${value}`);
  return [`${target.kind}, profile ${target.profile}`, ...options, ...placementWords(target)].join(', ');
}

function placementWords({ placement }: Extract<PlanTarget, { kind: string }>): string[] {
  const { cpus, memory_limit_bytes, data_directory } = placement ?? NO_PLACEMENT;
  return [
    ...(cpus ? [`cores ${cpus}`] : []),
    ...(memory_limit_bytes ? [`at most ${formatBytes(memory_limit_bytes)}`] : []),
    ...(data_directory ? [`on ${data_directory}`] : []),
  ];
}

interface ChosenTargetProps {
  readonly index: number;
  readonly name: string;
  readonly detail: string;
  readonly onRemove: () => void;
  /** Null for a saved target: it has its own. */
  readonly placement: Placement | null;
  readonly onPlacement: (placement: Placement) => void;
}

function ChosenTarget(props: ChosenTargetProps): ReactElement {
  const { index, name, placement } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <TargetLine {...props} isOpen={isOpen} onOpen={setOpen} />
      {isOpen && placement && (
        <PlacementFields
          placement={placement}
          path={`targets.${index}`}
          onChange={props.onPlacement}
          key={name}
        />
      )}
    </div>
  );
}

interface TargetLineProps extends ChosenTargetProps {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function TargetLine(props: TargetLineProps): ReactElement {
  const { index, name, detail, placement, isOpen, onOpen, onRemove } = props;
  const scheme = useScheme();
  return (
    <Group gap={8} wrap="nowrap" className="chosen-target">
      <SeriesKey look={lookOf(index, scheme)} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm" fw={550} className="run-name">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      </div>
      {placement && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Cores, memory and disk of ${name}`}
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        >
          <IconCpu size={14} />
        </ActionIcon>
      )}
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Remove ${name}`} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </Group>
  );
}
