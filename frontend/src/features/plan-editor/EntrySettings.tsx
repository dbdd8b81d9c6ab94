import { MultiSelect, Select, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { Disclosure } from '@/components/Disclosure';
import { parameterTitle } from '@/lib/parameters';
import { OwnPath, useRefusal } from './findings';
import { LoadFields } from './LoadFields';
import { StopFields } from './StopFields';
import { replaysTrace } from './trace-workload';
import { ownSettings, type WorkloadEntry, withOnly } from './workload-list';

interface EntrySettingsProps {
  readonly entry: WorkloadEntry;
  readonly place: number;
  readonly plan: PlanDefinition;
  readonly onChange: (patch: Partial<WorkloadEntry>) => void;
}

/** What one workload of several has in place of the plan's. */
export function EntrySettings({ entry, place, plan, onChange }: EntrySettingsProps): ReactElement {
  return (
    <Disclosure title="Load, end and prefill of its own" set={ownSettings(entry)}>
      <OwnPath.Provider value={`workloads.${place}`}>
        <Switch
          size="xs"
          label="A load of its own"
          checked={Boolean(entry.load)}
          onChange={({ currentTarget }) => onChange({ load: currentTarget.checked ? plan.load : null })}
        />
        {entry.load && (
          <LoadFields
            load={entry.load}
            mayReplay={replaysTrace({ ...plan, workload: entry.workload, workloads: [] })}
            onLoad={(load) => onChange({ load })}
          />
        )}
        <Switch
          size="xs"
          label="An end of its own"
          checked={Boolean(entry.stop)}
          onChange={({ currentTarget }) => onChange({ stop: currentTarget.checked ? plan.stop : null })}
        />
        {entry.stop && (
          <StopFields label="Measure" path="stop" stop={entry.stop} onChange={(stop) => onChange({ stop })} />
        )}
        <PrefillChoice prefill={entry.prefill ?? null} onChange={(prefill) => onChange({ prefill })} />
        {(plan.axes ?? []).map(({ parameter, values }) => (
          <OnlyValues
            key={parameter}
            parameter={parameter}
            values={values}
            entry={entry}
            onChange={onChange}
          />
        ))}
      </OwnPath.Provider>
    </Disclosure>
  );
}

const PREFILLS = [
  { value: 'plan', label: 'as the plan says' },
  { value: 'yes', label: 'all keys' },
  { value: 'no', label: 'none' },
];

interface PrefillChoiceProps {
  readonly prefill: boolean | null;
  readonly onChange: (prefill: boolean | null) => void;
}

function PrefillChoice({ prefill, onChange }: PrefillChoiceProps): ReactElement {
  return (
    <Select
      size="xs"
      label="Prefill"
      data={PREFILLS}
      allowDeselect={false}
      value={prefill === null ? 'plan' : prefill ? 'yes' : 'no'}
      onChange={(next) => onChange(next === 'plan' ? null : next === 'yes')}
    />
  );
}

interface OnlyValuesProps {
  readonly parameter: string;
  readonly values: readonly number[];
  readonly entry: WorkloadEntry;
  readonly onChange: (patch: Partial<WorkloadEntry>) => void;
}

function OnlyValues({ parameter, values, entry, onChange }: OnlyValuesProps): ReactElement {
  const chosen = entry.only?.[parameter] ?? [];
  return (
    <MultiSelect
      size="xs"
      label={`At these values only of ${parameterTitle(parameter)}`}
      placeholder={chosen.length > 0 ? undefined : 'all of them'}
      data={[...new Set([...values, ...chosen])].map(String)}
      value={chosen.map(String)}
      error={useRefusal(`only.${parameter}`)}
      onChange={(next) => onChange({ only: withOnly(entry.only, parameter, next.map(Number)) })}
    />
  );
}
