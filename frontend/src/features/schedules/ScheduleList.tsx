import { Button, Paper, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconCalendarTime, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import { type Schedule, schedulesQuery } from '@/api/schedules';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { selectorWords } from '@/lib/agent-selector';
import { toProblem } from '@/lib/problem';
import { cronWords } from './cron-words';
import { FiringHistory } from './FiringHistory';
import { ScheduleActions } from './ScheduleActions';
import { ScheduleDialog } from './ScheduleDialog';
import { OutcomeChip, ScheduleStateChip } from './ScheduleState';

/** `edit` and `history` are a schedule's id, `edit` also `new`, then with `plan`. */
export interface SchedulesView {
  readonly q?: string;
  readonly edit?: string;
  readonly plan?: string;
  readonly history?: string;
}

interface ScheduleListProps {
  readonly view: SchedulesView;
  readonly onView: (view: SchedulesView) => void;
}

export function ScheduleList({ view, onView }: ScheduleListProps): ReactElement {
  const schedules = useQuery(schedulesQuery);
  const { data: agents } = useQuery(agentsQuery);
  if (schedules.isPending) return <TableSkeleton columns={7} />;
  if (!schedules.data) {
    const { code, detail } = toProblem(schedules.error);
    return (
      <FailureState
        what="The schedules could not be read"
        code={code}
        detail={detail}
        onRetry={() => void schedules.refetch()}
      />
    );
  }
  const items = schedules.data.items;
  const editing = items.find(({ id }) => id === view.edit);
  const shown = items.find(({ id }) => id === view.history);
  const close = () => onView({ ...view, edit: undefined, plan: undefined, history: undefined });
  const columns = columnsOf(
    agents?.items ?? [],
    (edit) => onView({ ...view, edit }),
    (history) => onView({ ...view, history }),
  );
  return (
    <>
      {items.length === 0 ? (
        <NoSchedules onNew={() => onView({ ...view, edit: 'new' })} />
      ) : (
        <Paper withBorder p="sm">
          <DataTable
            label="Schedules"
            columns={columns}
            rows={items.filter((schedule) => fits(schedule, view.q))}
            rowId={({ id }) => id}
            csvName="loadstone-schedules"
            toolbar={<Toolbar view={view} onView={onView} />}
          />
        </Paper>
      )}
      {(editing || view.edit === 'new') && (
        <ScheduleDialog schedule={editing ?? null} planId={view.plan ?? null} onClose={close} />
      )}
      {shown && <FiringHistory schedule={shown} onClose={close} />}
    </>
  );
}

function fits({ name, plan_name, state }: Schedule, text: string | undefined): boolean {
  return !text || `${name} ${plan_name} ${state}`.toLowerCase().includes(text.toLowerCase());
}

function Toolbar({ view, onView }: ScheduleListProps): ReactElement {
  return (
    <>
      <TextInput
        size="xs"
        w={220}
        aria-label="Filter schedules"
        placeholder="Filter ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={view.q ?? ''}
        onChange={(event) => onView({ ...view, q: event.currentTarget.value || undefined })}
      />
      <Button
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden="true" />}
        onClick={() => onView({ ...view, edit: 'new' })}
      >
        New schedule
      </Button>
    </>
  );
}

function NoSchedules({ onNew }: { readonly onNew: () => void }): ReactElement {
  return (
    <TeachingState
      icon={IconCalendarTime}
      title="Nothing starts by itself yet"
      text="A schedule runs a saved plan at set times: every night, say. Its runs make the trends grow, and a change shows up the morning after. Each due time fires once, also after an outage."
    >
      <Button onClick={onNew}>New schedule</Button>
    </TeachingState>
  );
}

type Agents = Parameters<typeof selectorWords>[1];

function columnsOf(
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
      value: ({ plan_name }) => plan_name,
      cell: ({ plan_id, plan_name, plan_version }) => (
        <TextLink to="/runs/new" search={{ plan: plan_id }} size="sm">
          {plan_name}
          {plan_version !== null && ` (version ${plan_version})`}
        </TextLink>
      ),
    },
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
    {
      id: 'agents',
      header: 'Agents',
      value: ({ agent_selector }) => selectorWords(agent_selector, agents),
    },
    { id: 'overlap', header: 'Overlap', value: ({ overlap_policy }) => overlap_policy },
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      cell: (schedule) => <ScheduleActions schedule={schedule} onEdit={edit} onHistory={history} />,
      isActions: true,
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
    <UnstyledButton fz="sm" aria-label={`Firings of ${name}`} onClick={() => onHistory(id)}>
      <OutcomeChip firing={last_firing} /> <RelativeTime at={last_firing.due_at} />
    </UnstyledButton>
  );
}
