import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { BLANK_OPERATION } from './draft';
import { FieldFindings, useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';

type Operation = WorkloadDefinition['operations'][number];
type Kind = Operation['kind'];

const KINDS: ReadonlyArray<{ value: Kind; label: string }> = [
  { value: 'get', label: 'get' },
  { value: 'set', label: 'set' },
  { value: 'multi_get', label: 'multi-get' },
  { value: 'multi_set', label: 'multi-set' },
  { value: 'add', label: 'add' },
  { value: 'replace', label: 'replace' },
  { value: 'append', label: 'append' },
  { value: 'incr', label: 'incr' },
  { value: 'delete', label: 'delete' },
  { value: 'touch', label: 'touch' },
  { value: 'compare_and_set', label: 'compare and set' },
  { value: 'read_modify_write', label: 'read-modify-write' },
  { value: 'insert', label: 'insert a new key' },
  { value: 'scan', label: 'scan' },
  { value: 'update', label: 'UPDATE (SQL)' },
  { value: 'sql_replace', label: 'REPLACE (SQL)' },
  { value: 'delete_insert', label: 'DELETE + INSERT (SQL)' },
  { value: 'list_insert_head', label: 'list: insert at head' },
  { value: 'list_insert_tail', label: 'list: insert at tail' },
  { value: 'range_first', label: 'list: first n' },
  { value: 'range_last', label: 'list: last n' },
  { value: 'range', label: 'list: n from a place' },
  { value: 'list_length', label: 'list: length' },
  { value: 'custom', label: 'custom command' },
];

const WITH_KEYS: ReadonlySet<Kind> = new Set(['multi_get', 'multi_set']);
const WITH_ENTRIES: ReadonlySet<Kind> = new Set(['scan', 'range_first', 'range_last', 'range']);

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
          onClick={() => onChange([...operations, { ...BLANK_OPERATION, kind: unused.value }])}
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

function OperationRow(props: OperationRowProps): ReactElement {
  const { operation, path, onChange } = props;
  return (
    <>
      <OperationNumbers {...props} />
      {operation.kind === 'custom' && (
        <CommandField path={path} command={operation.command ?? ''} onChange={onChange} />
      )}
    </>
  );
}

interface CommandFieldProps {
  readonly path: string;
  readonly command: string;
  readonly onChange: (patch: Partial<Operation>) => void;
}

function CommandField({ path, command, onChange }: CommandFieldProps): ReactElement {
  return (
    <TextInput
      size="xs"
      label="Command"
      placeholder="HSET {key} f {value}"
      value={command}
      error={useRefusal(`${path}.command`)}
      onChange={({ currentTarget }) => onChange({ command: currentTarget.value || null })}
    />
  );
}

function OperationNumbers({ operation, path, share, onChange, onRemove }: OperationRowProps): ReactElement {
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <Select
        size="xs"
        w={150}
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
      <KindNumbers operation={operation} path={path} onChange={onChange} />
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

/** What only some kinds ask for. */
function KindNumbers({
  operation,
  path,
  onChange,
}: Pick<OperationRowProps, 'operation' | 'path' | 'onChange'>): ReactElement {
  return (
    <>
      {WITH_KEYS.has(operation.kind) && (
        <PlanNumber
          path={`${path}.keys_per_request`}
          label="Keys each"
          value={operation.keys_per_request}
          onChange={(keys_per_request) => onChange({ keys_per_request })}
        />
      )}
      {WITH_ENTRIES.has(operation.kind) && (
        <PlanNumber
          path={`${path}.entries`}
          label="Entries"
          value={operation.entries ?? 100}
          onChange={(entries) => onChange({ entries })}
        />
      )}
      {operation.kind === 'touch' && (
        <PlanNumber
          path={`${path}.expire_s`}
          label="Expires in, s"
          value={operation.expire_s ?? 0}
          onChange={(expire_s) => onChange({ expire_s })}
        />
      )}
    </>
  );
}
