import { Button, Paper, TextInput } from '@mantine/core';
import { IconCalendarTime, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { agentsQuery } from '@/api/agents';
import { type Schedule, schedulesQuery } from '@/api/schedules';
import { useMay } from '@/api/use-may';
import { DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { FiringHistory } from './FiringHistory';
import { ScheduleDialog } from './ScheduleDialog';
import { scheduleColumns } from './schedule-columns';

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
  const columns = scheduleColumns(
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
  const mayEdit = useMay('editor');
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
      {mayEdit && (
        <Button
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          onClick={() => onView({ ...view, edit: 'new' })}
        >
          New schedule
        </Button>
      )}
    </>
  );
}

function NoSchedules({ onNew }: { readonly onNew: () => void }): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <TeachingState
      icon={IconCalendarTime}
      title="Nothing starts by itself yet"
      text="A schedule runs a saved plan at set times: every night, say. Its runs make the trends grow, and a change shows up the morning after. Each due time fires once, also after an outage."
    >
      {mayEdit && <Button onClick={onNew}>New schedule</Button>}
    </TeachingState>
  );
}
