import { Group, SegmentedControl, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { PlanNumber } from './PlanNumber';

const BLANK_ACCESS: Readonly<Record<string, WorkloadDefinition['access']>> = {
  zipf: { kind: 'zipf', exponent: 0.99 },
  latest: { kind: 'latest', exponent: 0.99 },
  permutation: { kind: 'permutation' },
};

type Access = NonNullable<WorkloadDefinition['access']>;

/** Which keys are touched, and how evenly. */
export function AccessFields({
  access,
  onChange,
}: {
  access: Access;
  onChange: (access: Access) => void;
}): ReactElement {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="xs" fw={600}>
          Access
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Access"
          value={access.kind}
          onChange={(kind) => onChange(BLANK_ACCESS[kind] ?? { kind: 'uniform' })}
          data={[
            { value: 'uniform', label: 'Uniform' },
            { value: 'zipf', label: 'Zipf' },
            { value: 'latest', label: 'Latest' },
            { value: 'permutation', label: 'Once each' },
          ]}
        />
      </Group>
      {access.kind === 'zipf' && (
        <PlanNumber
          path="workload.access"
          label="Exponent"
          description="Above 1, few keys take most requests."
          value={access.exponent}
          onChange={(exponent) => onChange({ kind: 'zipf', exponent })}
        />
      )}
    </div>
  );
}
