import { SegmentedControl, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { RunView } from '@/api/dashboards';
import { plansQuery } from '@/api/plans';
import { runsQuery } from '@/api/runs';
import { MetricFields } from './MetricFields';

interface RunFieldsProps {
  readonly view: RunView;
  readonly onView: (view: RunView) => void;
}

export function RunFields({ view, onView }: RunFieldsProps): ReactElement {
  const [isPlan, setIsPlan] = useState(Boolean(view.plan_id));
  return (
    <>
      <SegmentedControl
        aria-label="Which run"
        data={[
          { value: 'run', label: 'One run' },
          { value: 'plan', label: 'The latest of a plan' },
        ]}
        value={isPlan ? 'plan' : 'run'}
        onChange={(which) => {
          setIsPlan(which === 'plan');
          onView({ ...view, run_id: null, plan_id: null });
        }}
      />
      {isPlan ? (
        <PlanSelect
          id={view.plan_id ?? null}
          onId={(plan_id) => onView({ ...view, plan_id, run_id: null })}
        />
      ) : (
        <RunSelect id={view.run_id ?? null} onId={(run_id) => onView({ ...view, run_id, plan_id: null })} />
      )}
      <MetricFields
        metric={view.metric ?? 'throughput_per_s'}
        operation={view.operation ?? 'all'}
        onChange={(patch) => onView({ ...view, ...patch })}
      />
    </>
  );
}

interface IdSelectProps {
  readonly id: string | null;
  readonly onId: (id: string | null) => void;
}

function PlanSelect({ id, onId }: IdSelectProps): ReactElement {
  const plans = useQuery(plansQuery);
  const data = (plans.data?.items ?? []).map((plan) => ({ value: plan.id, label: plan.name }));
  return <Select label="Plan" searchable data={withChosen(data, id)} value={id} onChange={onId} />;
}

function RunSelect({ id, onId }: IdSelectProps): ReactElement {
  const [q, setQ] = useState('');
  const runs = useInfiniteQuery({ ...runsQuery({ q: q || undefined }, 30), refetchInterval: false });
  const data = (runs.data?.pages[0]?.items ?? []).map((run) => ({ value: run.id, label: run.name }));
  return (
    <Select
      label="Run"
      searchable
      data={withChosen(data, id)}
      value={id}
      onChange={onId}
      onSearchChange={setQ}
      filter={({ options }) => options}
    />
  );
}

function withChosen(data: { value: string; label: string }[], id: string | null) {
  const isKnown = id === null || data.some(({ value }) => value === id);
  return isKnown ? data : [...data, { value: id, label: id }];
}
