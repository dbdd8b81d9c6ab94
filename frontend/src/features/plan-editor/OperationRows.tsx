import { ActionIcon, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { FieldFindings } from './findings';
import { PlanNumber } from './PlanNumber';

type Operation = WorkloadDefinition['operations'][number];
type Kind = Operation['kind'];

const KINDS: ReadonlyArray<{ value: Kind; label: string }> = [
  { value: 'get', label: 'get' },
  { value: 'set', label: 'set' },
  { value: 'multi_get', label: 'multi-get' },
];

interface OperationRowsProps {
  readonly operations: readonly Operation[];
  readonly onChange: (operations: Operation[]) => void;
}

/** The mix by weight, with the share that comes of it. */
export function OperationRows({ operations, onChange }: OperationRowsProps): ReactElement {
  const total = operations.reduce((sum, { weight }) => sum + (weight || 0), 0);
  const set = (place: number, patch: Partial<Operation>) =>
    onChange(
      operations.map((operation, index) => (index === place ? { ...operation, ...patch } : operation)),
    );
  const unused = KINDS.find(({ value }) => operations.every(({ kind }) => kind !== value));
  return (
    <Stack gap={6} role="group" aria-label="Operations">
      <Text size="xs" fw={600}>
        Operations
      </Text>
      {operations.map((operation, index) => (
        <OperationRow
          key={operation.kind}
          operation={operation}
          path={`workload.operations.${index}`}
          share={total > 0 ? operation.weight / total : 0}
          onChange={(patch) => set(index, patch)}
          onRemove={
            operations.length > 1
              ? () => onChange(operations.filter((_, place) => place !== index))
              : undefined
          }
        />
      ))}
      <FieldFindings path="workload.operations" />
      {unused && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={12} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...operations, { kind: unused.value, weight: 1, keys_per_request: 1 }])}
        >
          Add {unused.label}
        </Button>
      )}
    </Stack>
  );
}

interface OperationRowProps {
  readonly operation: Operation;
  readonly path: string;
  readonly share: number;
  readonly onChange: (patch: Partial<Operation>) => void;
  readonly onRemove?: () => void;
}

function OperationRow({ operation, path, share, onChange, onRemove }: OperationRowProps): ReactElement {
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <Select
        size="xs"
        w={104}
        aria-label="Operation"
        data={KINDS as { value: string; label: string }[]}
        value={operation.kind}
        allowDeselect={false}
        onChange={(kind) => kind && onChange({ kind: kind as Kind })}
      />
      <PlanNumber
        path={`${path}.weight`}
        label={`Weight, ${Math.round(share * 100)} %`}
        value={operation.weight}
        onChange={(weight) => onChange({ weight })}
      />
      {operation.kind === 'multi_get' && (
        <PlanNumber
          path={`${path}.keys_per_request`}
          label="Keys each"
          value={operation.keys_per_request}
          onChange={(keys_per_request) => onChange({ keys_per_request })}
        />
      )}
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          mb={4}
          aria-label={`Remove ${operation.kind}`}
          onClick={onRemove}
        >
          <IconX size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}
