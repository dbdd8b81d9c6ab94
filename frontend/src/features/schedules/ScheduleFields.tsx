import {
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { agentsQuery } from '@/api/agents';
import type { Plan } from '@/api/plans';
import { agentChoices } from '@/lib/agent-selector';
import { OWN_ZONE, PRESETS, type ScheduleDraft, zoneNames } from './schedule-draft';

export interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft;
  readonly onChange: (patch: Partial<ScheduleDraft>) => void;
  readonly faultAt: (field: string) => string | undefined;
}

interface WhatFieldsProps extends ScheduleFieldsProps {
  readonly plans: readonly Plan[];
}

export function WhatFields({ draft, plans, onChange, faultAt }: WhatFieldsProps): ReactElement {
  const plan = plans.find(({ id }) => id === draft.planId);
  const versions = Array.from({ length: plan?.version ?? 0 }, (_, index) => String(index + 1)).reverse();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing={6}>
      <Select
        label="Plan"
        required
        searchable
        allowDeselect={false}
        data={plans.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.planId}
        error={faultAt('plan_id')}
        onChange={(planId) => onChange({ planId, planVersion: null })}
      />
      <Select
        label="Version"
        placeholder="Always the newest"
        clearable
        data={versions}
        value={draft.planVersion === null ? null : String(draft.planVersion)}
        error={faultAt('plan_version')}
        onChange={(version) => onChange({ planVersion: version === null ? null : Number(version) })}
      />
    </SimpleGrid>
  );
}

export function WhenFields({ draft, onChange, faultAt }: ScheduleFieldsProps): ReactElement {
  const zones = useMemo(zoneNames, []);
  return (
    <Stack gap={6}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing={6}>
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of month, month, day of week"
          required
          maxLength={200}
          spellCheck={false}
          value={draft.cron}
          error={faultAt('cron')}
          onChange={(event) => onChange({ cron: event.currentTarget.value })}
        />
        <Select
          label="Time zone"
          description="Whose wall clock it follows"
          searchable
          allowDeselect={false}
          data={zones}
          value={draft.timeZone}
          error={faultAt('time_zone')}
          onChange={(timeZone) => timeZone !== null && onChange({ timeZone })}
        />
      </SimpleGrid>
      <Group gap={4} role="group" aria-label="Examples">
        {PRESETS.map(({ label, cron }) => (
          <Button key={cron} size="compact-xs" variant="default" onClick={() => onChange({ cron })}>
            {label}
          </Button>
        ))}
      </Group>
      <SpanFields draft={draft} onChange={onChange} faultAt={faultAt} />
    </Stack>
  );
}

function SpanFields({ draft, onChange, faultAt }: ScheduleFieldsProps): ReactElement {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing={6}>
      <TextInput
        type="datetime-local"
        label="Not before"
        description={`Your time, ${OWN_ZONE}`}
        value={draft.startsAt}
        error={faultAt('starts_at')}
        onChange={(event) => onChange({ startsAt: event.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        label="Not after"
        description={`Your time, ${OWN_ZONE}`}
        value={draft.endsAt}
        error={faultAt('ends_at')}
        onChange={(event) => onChange({ endsAt: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}

const OVERLAPS = {
  skip: { label: 'Skip', meaning: 'While an earlier run lives, a firing is skipped and listed as such.' },
  queue: { label: 'Queue', meaning: 'Each firing submits a run; it begins once the earlier one has ended.' },
  cancel: {
    label: 'Cancel the earlier',
    meaning: 'A firing cancels what still lives, then submits its own run.',
  },
} as const;

export function HowFields({ draft, onChange, faultAt }: ScheduleFieldsProps): ReactElement {
  const { data } = useQuery(agentsQuery);
  return (
    <Stack gap={6}>
      <div>
        <Text size="sm" fw={500} id="overlap-label">
          When the earlier run has not ended
        </Text>
        <SegmentedControl
          aria-labelledby="overlap-label"
          fullWidth
          data={Object.entries(OVERLAPS).map(([value, { label }]) => ({ value, label }))}
          value={draft.overlap}
          onChange={(overlap) => onChange({ overlap: overlap as ScheduleDraft['overlap'] })}
        />
        <Text size="xs" c="dimmed" mt={2}>
          {OVERLAPS[draft.overlap].meaning}
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing={6}>
        <Select
          label="Agents"
          placeholder="Any that can take it"
          clearable
          data={agentChoices(data?.items ?? [], draft.agentChoice)}
          value={draft.agentChoice}
          error={faultAt('agent_selector')}
          onChange={(agentChoice) => onChange({ agentChoice })}
        />
        <NumberInput
          label="Priority"
          min={-1000}
          max={1000}
          allowDecimal={false}
          value={draft.priority}
          error={faultAt('priority')}
          onChange={(value) => onChange({ priority: Number(value) || 0 })}
        />
      </SimpleGrid>
    </Stack>
  );
}
