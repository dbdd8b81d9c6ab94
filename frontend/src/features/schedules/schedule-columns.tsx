import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Schedule } from '@/api/schedules';
import type { DataColumn } from '@/components/DataTable';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { selectorWords } from '@/lib/agent-selector';
import { cronWords } from './cron-words';
import { ScheduleActions } from './ScheduleActions';
import { OutcomeChip, ScheduleStateChip } from './ScheduleState';

type Agents = Parameters<typeof selectorWords>[1];

export function scheduleColumns(
  agents: Agents,
  edit: (scheduleId: string) => void,
  history: (scheduleId: string) => void,
): DataColumn<Schedule>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <UnstyledButton className="run-name" fw={550} fz="sm" onClick={() => edit(id)}>
          {name}
        </UnstyledButton>
      ),
    },
    {
      id: 'state',
      header: 'State',
      value: ({ state }) => state,
      cell: (schedule) => <ScheduleStateChip schedule={schedule} />,
    },
    {
      id: 'plan',
      header: 'Plan',
      isText: true,
      value: ({ plan_name }) => plan_name,
      cell: ({ plan_id, plan_name, plan_version, agent_selector }) => (
        <>
          <TextLink to="/runs/new" search={{ plan: plan_id }} size="sm">
            {plan_name}
            {plan_version !== null && ` (version ${plan_version})`}
          </TextLink>
          <Text size="xs" c="dimmed">
            Agents: {selectorWords(agent_selector, agents)}
          </Text>
        </>
      ),
    },
    ...timeColumns(history),
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      cell: (schedule) => <ScheduleActions schedule={schedule} onEdit={edit} onHistory={history} />,
      isActions: true,
    },
  ];
}

function timeColumns(history: (scheduleId: string) => void): DataColumn<Schedule>[] {
  return [
    {
      id: 'when',
      header: 'When',
      isText: true,
      value: ({ cron, time_zone }) => `${cron} ${time_zone}`,
      cell: ({ cron, time_zone, description }) => (
        <>
          {cronWords(cron) ?? description}
          <Text size="xs" c="dimmed">
            {cron} · {time_zone}
          </Text>
        </>
      ),
    },
    {
      id: 'next',
      header: 'Next',
      value: ({ next_fire_at }) => next_fire_at,
      cell: ({ next_fire_at }) => <RelativeTime at={next_fire_at} />,
    },
    {
      id: 'last',
      header: 'Last firing',
      value: ({ last_firing }) => last_firing?.due_at,
      cell: (schedule) => <LastFiring schedule={schedule} onHistory={history} />,
    },
  ];
}

interface LastFiringProps {
  readonly schedule: Schedule;
  readonly onHistory: (scheduleId: string) => void;
}

function LastFiring({ schedule: { id, name, last_firing }, onHistory }: LastFiringProps): ReactElement {
  if (!last_firing) return <span>–</span>;
  return (
    <UnstyledButton fz="sm" pos="relative" onClick={() => onHistory(id)}>
      <VisuallyHidden>Firings of {name}: </VisuallyHidden>
      <OutcomeChip firing={last_firing} />
      <Text size="xs" c="dimmed">
        <RelativeTime at={last_firing.due_at} />
      </Text>
    </UnstyledButton>
  );
}
