import {
  Button,
  Code,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type PlanDefinition, type WorkloadDefinition, workloadsQuery } from '@/api/plans';
import { AccessFields } from './AccessFields';
import { BLANK_WORKLOAD } from './draft';
import { FieldFindings, useRefusal } from './findings';
import { OperationRows } from './OperationRows';
import { PlanNumber } from './PlanNumber';

type PlanWorkload = NonNullable<PlanDefinition['workload']>;

interface WorkloadFieldsProps {
  readonly workload: PlanWorkload;
  readonly onChange: (workload: PlanWorkload) => void;
}

const OWN = 'own';

/** A saved workload as it is, or one written here. */
export function WorkloadFields({ workload, onChange }: WorkloadFieldsProps): ReactElement {
  const { data: saved } = useQuery(workloadsQuery);
  const chosenId = 'workload_id' in workload ? workload.workload_id : OWN;
  const chosen = saved?.items.find(({ id }) => id === chosenId);
  const choose = (value: string | null) => {
    if (value === null || value === OWN) onChange(chosen?.definition ?? BLANK_WORKLOAD);
    else onChange({ workload_id: value });
  };
  return (
    <Stack gap="xs">
      {saved && saved.items.length > 0 && (
        <Select
          size="xs"
          aria-label="Workload"
          data={[
            { value: OWN, label: 'Written here' },
            ...saved.items.map(({ id, name, version }) => ({
              value: id,
              label: `${name} (version ${version})`,
            })),
          ]}
          value={chosenId}
          onChange={choose}
          allowDeselect={false}
        />
      )}
      {'workload_id' in workload ? (
        <SavedWorkload definition={chosen?.definition} onEdit={() => choose(OWN)} />
      ) : (
        <OwnWorkload workload={workload} onChange={onChange} />
      )}
      <FieldFindings path="workload" onlyWarnings={!('workload_id' in workload)} />
    </Stack>
  );
}

interface SavedWorkloadProps {
  readonly definition: WorkloadDefinition | undefined;
  readonly onEdit: () => void;
}

function SavedWorkload({ definition, onEdit }: SavedWorkloadProps): ReactElement {
  return (
    <>
      <Code block className="definition" tabIndex={0}>
        {JSON.stringify(definition, null, 2)}
      </Code>
      <Button size="compact-xs" variant="default" onClick={onEdit}>
        Change it for this run only
      </Button>
    </>
  );
}

interface OwnWorkloadProps {
  readonly workload: WorkloadDefinition;
  readonly onChange: (workload: WorkloadDefinition) => void;
}

function OwnWorkload({ workload, onChange }: OwnWorkloadProps): ReactElement {
  const { dataset, access } = workload;
  const setDataset = (patch: Partial<WorkloadDefinition['dataset']>) =>
    onChange({ ...workload, dataset: { ...dataset, ...patch } });
  return (
    <>
      <SimpleGrid cols={2} spacing="xs">
        <PlanNumber
          path="workload.dataset.key_count"
          label="Keys"
          value={dataset.key_count}
          onChange={(key_count) => setDataset({ key_count })}
        />
        <PlanNumber
          path="workload.dataset.key_size_bytes"
          label="Key size (B)"
          value={dataset.key_size_bytes}
          onChange={(key_size_bytes) => setDataset({ key_size_bytes })}
        />
      </SimpleGrid>
      <KeyTemplate
        template={dataset.key_template ?? null}
        onChange={(key_template) => setDataset({ key_template })}
      />
      <ValueSizeFields size={dataset.value_size} onChange={(value_size) => setDataset({ value_size })} />
      <OperationRows
        operations={workload.operations}
        onChange={(operations) => onChange({ ...workload, operations })}
      />
      <AccessFields
        access={access ?? { kind: 'uniform' }}
        onChange={(next) => onChange({ ...workload, access: next })}
      />
    </>
  );
}

interface KeyTemplateProps {
  readonly template: string | null;
  readonly onChange: (template: string | null) => void;
}

function KeyTemplate({ template, onChange }: KeyTemplateProps): ReactElement {
  return (
    <TextInput
      size="xs"
      label="Pattern of keys"
      placeholder="user:{index:8}:name"
      value={template ?? ''}
      error={useRefusal('workload.dataset.key_template')}
      onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    />
  );
}

const VALUE_SIZE_PATH = 'workload.dataset.value_size';

type ValueSize = WorkloadDefinition['dataset']['value_size'];

function ValueSizeFields({
  size,
  onChange,
}: {
  size: ValueSize;
  onChange: (size: ValueSize) => void;
}): ReactElement {
  const choose = (kind: string) => {
    if (kind === size.kind) return;
    const bytes = size.kind === 'fixed' ? size.bytes : size.kind === 'uniform' ? size.min_bytes : 100;
    if (kind === 'fixed') onChange({ kind, bytes });
    if (kind === 'uniform') onChange({ kind, min_bytes: bytes, max_bytes: bytes * 2 });
    if (kind === 'facebook') onChange({ kind, max_bytes: 1_000_000 });
  };
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="xs" fw={600}>
          Value size (B)
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Value size"
          value={size.kind}
          onChange={choose}
          data={[
            { value: 'fixed', label: 'Fixed' },
            { value: 'uniform', label: 'Uniform' },
            { value: 'facebook', label: 'Facebook' },
          ]}
        />
      </Group>
      {size.kind === 'fixed' && (
        <PlanNumber
          path={VALUE_SIZE_PATH}
          label="Bytes"
          value={size.bytes}
          onChange={(bytes) => onChange({ ...size, bytes })}
        />
      )}
      {size.kind === 'uniform' && <SizeRange size={size} onChange={onChange} />}
    </div>
  );
}

interface SizeRangeProps {
  readonly size: Extract<ValueSize, { kind: 'uniform' }>;
  readonly onChange: (size: ValueSize) => void;
}

function SizeRange({ size, onChange }: SizeRangeProps): ReactElement {
  return (
    <SimpleGrid cols={2} spacing="xs">
      <PlanNumber
        path={`${VALUE_SIZE_PATH}.min_bytes`}
        label="From"
        value={size.min_bytes}
        onChange={(min_bytes) => onChange({ ...size, min_bytes })}
      />
      <PlanNumber
        path={`${VALUE_SIZE_PATH}.max_bytes`}
        label="To"
        value={size.max_bytes}
        onChange={(max_bytes) => onChange({ ...size, max_bytes })}
      />
    </SimpleGrid>
  );
}
