import { SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { Disclosure } from '@/components/Disclosure';
import { useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';
import { SizeFields } from './SizeFields';
import { TraceField } from './TraceField';

interface FurtherFieldsProps {
  readonly workload: WorkloadDefinition;
  readonly onChange: (workload: WorkloadDefinition) => void;
}

const PROBES_PER_S = 10;

/** What few workloads ask for: keys of a shape, misses, compressible values, a trace, the lag of a replica. */
export function FurtherFields({ workload, onChange }: FurtherFieldsProps): ReactElement {
  const { dataset } = workload;
  const setDataset = (patch: Partial<WorkloadDefinition['dataset']>) =>
    onChange({ ...workload, dataset: { ...dataset, ...patch } });
  return (
    <Disclosure title="Shape of keys, misses, trace, replica" set={whatIsSet(workload)}>
      <KeyTemplate
        template={dataset.key_template ?? null}
        onChange={(key_template) => setDataset({ key_template })}
      />
      <SizeFields
        label="Key sizes"
        path="workload.dataset.key_sizes"
        size={dataset.key_sizes ?? null}
        none="all as above"
        onChange={(key_sizes) => setDataset({ key_sizes })}
      />
      <SimpleGrid cols={2} spacing="xs">
        <PlanNumber
          path="workload.dataset.hit_ratio"
          label="Reads that hit (0 to 1)"
          value={dataset.hit_ratio}
          disabled={Boolean(workload.trace)}
          onChange={(hit_ratio) => setDataset({ hit_ratio })}
        />
        <PlanNumber
          path="workload.dataset.compressible_share"
          label="Compressible (0 to 1)"
          value={dataset.compressible_share}
          onChange={(compressible_share) => setDataset({ compressible_share })}
        />
      </SimpleGrid>
      <TraceField workload={workload} onChange={onChange} />
      <LagField workload={workload} onChange={onChange} />
    </Disclosure>
  );
}

function whatIsSet({ dataset, trace, replica_lag }: WorkloadDefinition): string[] {
  return [
    ...(dataset.key_template ? ['a pattern of keys'] : []),
    ...(dataset.key_sizes ? ['key sizes'] : []),
    ...(dataset.hit_ratio < 1 ? ['misses'] : []),
    ...(dataset.compressible_share > 0 ? ['compressible values'] : []),
    ...(trace ? ['a trace'] : []),
    ...(replica_lag ? ['the lag of a replica'] : []),
  ];
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

function LagField({ workload, onChange }: FurtherFieldsProps): ReactElement {
  const lag = workload.replica_lag;
  const set = (isOn: boolean) =>
    onChange({ ...workload, replica_lag: isOn ? { probes_per_s: PROBES_PER_S } : null });
  return (
    <SimpleGrid cols={2} spacing="xs">
      <Switch
        size="xs"
        mt={6}
        label="Measure the replica’s lag"
        checked={Boolean(lag)}
        error={useRefusal('workload.replica_lag')}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      {lag && (
        <PlanNumber
          path="workload.replica_lag.probes_per_s"
          label="Markers a second"
          value={lag.probes_per_s}
          onChange={(probes_per_s) => onChange({ ...workload, replica_lag: { probes_per_s } })}
        />
      )}
    </SimpleGrid>
  );
}
