import { ActionIcon, Button, Group, Select, Stack, Switch } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { PlanNumber } from './PlanNumber';

type OpenLoad = Extract<PlanDefinition['load'], { kind: 'open' }>;
export type RateProfile = NonNullable<OpenLoad['rate']>;
type Segment = RateProfile['segments'][number];

const FIRST_RATE_PER_S = 10_000;
const FIRST_SECONDS = 10;

export const FIRST_PROFILE: RateProfile = {
  segments: [
    { kind: 'ramp', from_per_s: 1000, to_per_s: FIRST_RATE_PER_S, seconds: FIRST_SECONDS },
    { kind: 'constant', rate_per_s: FIRST_RATE_PER_S, seconds: FIRST_SECONDS },
  ],
  repeats: false,
};

const KINDS = [
  { value: 'constant', label: 'constant' },
  { value: 'ramp', label: 'ramp' },
  { value: 'sinus', label: 'sine' },
];

interface RateProfileFieldsProps {
  readonly profile: RateProfile;
  readonly onChange: (profile: RateProfile) => void;
}

/** The rate over time: stretches one after the other, then the last rate, or all of them again. */
export function RateProfileFields({ profile, onChange }: RateProfileFieldsProps): ReactElement {
  const { segments } = profile;
  const write = (next: Segment[]) => onChange({ ...profile, segments: next });
  return (
    <Stack gap={6} role="group" aria-label="Rate over time">
      {segments.map((segment, index) => (
        <SegmentRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is
          key={index}
          segment={segment}
          path={`load.rate.segments.${index}`}
          onChange={(next) => write(segments.map((one, place) => (place === index ? next : one)))}
          onRemove={
            segments.length > 1 ? () => write(segments.filter((_, place) => place !== index)) : undefined
          }
        />
      ))}
      <Group gap="md">
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={12} />}
          onClick={() => write([...segments, blank('constant', FIRST_SECONDS)])}
        >
          Add a stretch
        </Button>
        <Switch
          size="xs"
          label="Begin anew after the last"
          checked={profile.repeats}
          onChange={({ currentTarget }) => onChange({ ...profile, repeats: currentTarget.checked })}
        />
      </Group>
    </Stack>
  );
}

function blank(kind: string, seconds: number): Segment {
  if (kind === 'ramp') return { kind, from_per_s: 1000, to_per_s: FIRST_RATE_PER_S, seconds };
  if (kind === 'sinus') {
    return {
      kind,
      base_per_s: FIRST_RATE_PER_S,
      amplitude_per_s: FIRST_RATE_PER_S / 2,
      period_s: seconds,
      seconds,
    };
  }
  return { kind: 'constant', rate_per_s: FIRST_RATE_PER_S, seconds };
}

/** The numbers of each kind, in the order they are read. */
const FIELDS: Readonly<Record<Segment['kind'], readonly (readonly [name: string, label: string])[]>> = {
  constant: [['rate_per_s', 'ops/s']],
  ramp: [
    ['from_per_s', 'from'],
    ['to_per_s', 'to ops/s'],
  ],
  sinus: [
    ['base_per_s', 'around'],
    ['amplitude_per_s', '± ops/s'],
    ['period_s', 'period (s)'],
  ],
};

interface SegmentRowProps {
  readonly segment: Segment;
  readonly path: string;
  readonly onChange: (segment: Segment) => void;
  readonly onRemove?: () => void;
}

function SegmentRow({ segment, path, onChange, onRemove }: SegmentRowProps): ReactElement {
  const numbers = segment as unknown as Readonly<Record<string, number>>;
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <Select
        size="xs"
        w={104}
        aria-label="Kind of stretch"
        allowDeselect={false}
        data={KINDS}
        value={segment.kind}
        onChange={(kind) => kind && onChange(blank(kind, segment.seconds))}
      />
      {[...FIELDS[segment.kind], ['seconds', 'for (s)'] as const].map(([name, label]) => (
        <PlanNumber
          key={name}
          path={`${path}.${name}`}
          label={label}
          value={numbers[name]}
          onChange={(value) => onChange({ ...segment, [name]: value })}
        />
      ))}
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          mb={4}
          aria-label="Remove the stretch"
          onClick={onRemove}
        >
          <IconX size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}
