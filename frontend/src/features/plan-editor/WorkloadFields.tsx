import { Button, Code, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type PlanDefinition, type WorkloadDefinition, workloadsQuery } from '@/api/plans';
import { AccessFields } from './AccessFields';
import { BLANK_WORKLOAD } from './draft';
import { FurtherFields } from './FurtherFields';
import { FieldFindings } from './findings';
import { OperationRows } from './OperationRows';
import { PlanNumber } from './PlanNumber';
import { SizeFields } from './SizeFields';

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

const VALUE_SIZE_PATH = 'workload.dataset.value_size';

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
          disabled={Boolean(workload.trace)}
          onChange={(key_count) => setDataset({ key_count })}
        />
        <PlanNumber
          path="workload.dataset.key_size_bytes"
          label="Key size (B)"
          value={dataset.key_size_bytes}
          disabled={Boolean(workload.trace ?? dataset.key_sizes ?? dataset.key_template)}
          onChange={(key_size_bytes) => setDataset({ key_size_bytes })}
        />
      </SimpleGrid>
      <SizeFields
        label="Value size"
        path={VALUE_SIZE_PATH}
        size={dataset.value_size}
        onChange={(value_size) => value_size && setDataset({ value_size })}
      />
      <OperationRows
        operations={workload.operations}
        onChange={(operations) => onChange({ ...workload, operations })}
      />
      {workload.trace ? (
        <Text size="xs" c="dimmed">
          The trace says which operations come when, and for which keys.
        </Text>
      ) : (
        <AccessFields
          access={access ?? { kind: 'uniform' }}
          onChange={(next) => onChange({ ...workload, access: next })}
        />
      )}
      <FurtherFields workload={workload} onChange={onChange} />
    </>
  );
}
