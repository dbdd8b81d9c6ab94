import { Group, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { FieldFindings, useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';
import { StopFields } from './StopFields';

type Change = (patch: Partial<PlanDefinition>) => void;

interface TrialFieldsProps {
  readonly plan: PlanDefinition;
  readonly onChange: Change;
}

/** Trials, their order, and what happens between and around them. */
export function TrialFields({ plan, onChange }: TrialFieldsProps): ReactElement {
  return (
    <Stack gap="xs">
      <SimpleGrid cols={2} spacing="xs">
        <PlanNumber
          path="trials_per_point"
          label="Trials per point"
          value={plan.trials_per_point}
          onChange={(trials_per_point) => onChange({ trials_per_point })}
        />
        <PlanNumber
          path="rest_s"
          label="Rest between (s)"
          value={plan.rest_s}
          onChange={(rest_s) => onChange({ rest_s })}
        />
      </SimpleGrid>
      <FieldFindings path="trials_per_point" onlyWarnings />
      <OrderFields plan={plan} onChange={onChange} />
      <StopFields
        label="Warm-up"
        path="warmup"
        stop={plan.warmup ?? null}
        isWarmup
        onChange={(warmup) => onChange({ warmup })}
      />
      <StopFields
        label="Measure"
        path="stop"
        stop={plan.stop}
        onChange={(stop) => onChange({ stop: stop ?? { seconds: null, operations: null } })}
      />
      <Group gap="md">
        <Switch
          size="xs"
          label="Prefill all keys"
          checked={plan.prefill}
          onChange={(event) => onChange({ prefill: event.currentTarget.checked })}
        />
        <Switch
          size="xs"
          label="Verify values"
          checked={plan.verify}
          onChange={(event) => onChange({ verify: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  );
}

const ORDERS = [
  { value: 'interleaved', label: 'Interleaved' },
  { value: 'sequential', label: 'Sequential' },
  { value: 'shuffled', label: 'Shuffled' },
];
const ORDER_MEANINGS: Record<PlanDefinition['order'], string> = {
  interleaved: 'Targets take turns, in a random order within each block.',
  sequential: 'One after the other.',
  shuffled: 'Drawn from the seed.',
};
const RESET_MEANINGS: Record<PlanDefinition['reset'], string> = {
  restart: 'Stopped and wiped.',
  flush: 'All keys deleted.',
  none: 'It goes on as it is.',
};
const RESETS = [
  { value: 'restart', label: 'Restart the store' },
  { value: 'flush', label: 'Flush the store' },
  { value: 'none', label: 'Nothing' },
];

function OrderFields({ plan, onChange }: TrialFieldsProps): ReactElement {
  return (
    <>
      <SimpleGrid cols={2} spacing="xs">
        <Select
          size="xs"
          label="Order"
          description={ORDER_MEANINGS[plan.order]}
          data={ORDERS}
          value={plan.order}
          allowDeselect={false}
          error={useRefusal('order')}
          onChange={(order) => onChange({ order: order as PlanDefinition['order'] })}
        />
        <Select
          size="xs"
          label="Between trials"
          description={RESET_MEANINGS[plan.reset]}
          data={RESETS}
          value={plan.reset}
          allowDeselect={false}
          error={useRefusal('reset')}
          onChange={(reset) => onChange({ reset: reset as PlanDefinition['reset'] })}
        />
        <PlanNumber
          path="seed"
          label="Seed"
          placeholder="drawn"
          value={plan.seed}
          onChange={(seed) => onChange({ seed: Number.isNaN(seed) ? null : seed })}
        />
        <PlanNumber
          path="timeout_ms"
          label="Time-out (ms)"
          value={plan.timeout_ms}
          onChange={(timeout_ms) => onChange({ timeout_ms })}
        />
      </SimpleGrid>
      <FieldFindings path="order" onlyWarnings />
    </>
  );
}
