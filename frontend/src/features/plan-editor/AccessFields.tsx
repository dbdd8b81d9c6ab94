import { Group, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';

type Access = NonNullable<WorkloadDefinition['access']>;
type Kind = Access['kind'];

const FIRST: Readonly<Record<Kind, Access>> = {
  uniform: { kind: 'uniform' },
  zipf: { kind: 'zipf', exponent: 0.99 },
  latest: { kind: 'latest', exponent: 0.99 },
  hot_set: { kind: 'hot_set', key_share: 0.1, operation_share: 0.9 },
  gaussian: { kind: 'gaussian', deviation_share: 0.1 },
  sequential: { kind: 'sequential' },
  permutation: { kind: 'permutation' },
};

const KINDS: readonly { value: Kind; label: string; meaning: string }[] = [
  { value: 'uniform', label: 'uniform', meaning: 'Every key alike.' },
  { value: 'zipf', label: 'Zipf', meaning: 'Few keys take most: above 1 the more so.' },
  { value: 'latest', label: 'latest', meaning: 'Keys inserted last take most.' },
  { value: 'hot_set', label: 'hot set', meaning: 'A share of the operations goes to a share of the keys.' },
  { value: 'gaussian', label: 'Gaussian', meaning: 'Around the middle key.' },
  { value: 'sequential', label: 'sequential', meaning: 'One key after the other.' },
  { value: 'permutation', label: 'once each', meaning: 'Every key once, in a drawn order, then again.' },
];

const NUMBERS: Readonly<Partial<Record<Kind, readonly (readonly [string, string])[]>>> = {
  zipf: [['exponent', 'Exponent']],
  latest: [['exponent', 'Exponent']],
  hot_set: [
    ['key_share', 'Share of keys'],
    ['operation_share', 'of operations'],
  ],
  gaussian: [['deviation_share', 'Deviation, of all keys']],
};

interface AccessFieldsProps {
  readonly access: Access;
  readonly onChange: (access: Access) => void;
}

/** Which keys are touched, and how evenly. */
export function AccessFields({ access, onChange }: AccessFieldsProps): ReactElement {
  const numbers = access as unknown as Readonly<Record<string, number>>;
  const refusal = useRefusal('workload.access.kind');
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Select
        size="xs"
        flex={1}
        label="Access"
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        description={KINDS.find(({ value }) => value === access.kind)?.meaning}
        data={KINDS.map(({ value, label }) => ({ value, label }))}
        value={access.kind}
        allowDeselect={false}
        error={refusal}
        onChange={(kind) => kind && kind !== access.kind && onChange(FIRST[kind as Kind])}
      />
      {(NUMBERS[access.kind] ?? []).map(([field, label]) => (
        <PlanNumber
          key={field}
          path={`workload.access.${field}`}
          label={label}
          value={numbers[field]}
          onChange={(value) => onChange({ ...access, [field]: value } as Access)}
        />
      ))}
    </Group>
  );
}
