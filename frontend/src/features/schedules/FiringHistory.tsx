import { Drawer, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Firing, firingsQuery, type Schedule } from '@/api/schedules';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { fileStem } from '@/lib/save-file';
import { OutcomeChip } from './ScheduleState';

const COLUMNS: ReadonlyArray<DataColumn<Firing>> = [
  {
    id: 'due',
    header: 'Due',
    value: ({ due_at }) => due_at,
    cell: ({ due_at, is_manual }) => (
      <>
        <RelativeTime at={due_at} /> {is_manual && '(by hand)'}
      </>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    value: ({ outcome }) => outcome,
    cell: (firing) => <OutcomeChip firing={firing} />,
  },
  {
    id: 'run',
    header: 'Run',
    value: ({ run_name }) => run_name,
    cell: ({ run_id, run_name, run_status }) =>
      run_id ? (
        <TextLink to="/runs/$runId" params={{ runId: run_id }}>
          {run_name} ({run_status})
        </TextLink>
      ) : (
        '–'
      ),
  },
  {
    id: 'why',
    header: 'Why',
    isText: true,
    value: ({ error, missed_count }) =>
      error?.message ??
      (missed_count > 0 ? `Stands for ${countNoun(missed_count, 'missed firing')} too` : ''),
  },
];

interface FiringHistoryProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

/** What became of every due time, newest first. */
export function FiringHistory({ schedule, onClose }: FiringHistoryProps): ReactElement {
  const firings = useQuery(firingsQuery(schedule.id));
  const items = firings.data?.items ?? [];
  return (
    <Drawer opened onClose={onClose} position="right" size="xl" title={`Firings of “${schedule.name}”`}>
      {firings.isPending && <TableSkeleton columns={4} />}
      {firings.isError && !firings.data && (
        <FailureState
          what="The firings could not be read"
          code={toProblem(firings.error).code}
          detail={toProblem(firings.error).detail}
          onRetry={() => void firings.refetch()}
        />
      )}
      {firings.data && items.length === 0 && (
        <Text size="sm" c="dimmed">
          It has not been due yet. “Run now” fires it at once.
        </Text>
      )}
      {items.length > 0 && (
        <DataTable
          label="Firings"
          columns={COLUMNS}
          rows={items}
          rowId={({ id }) => id}
          csvName={fileStem('loadstone-firings', schedule.name)}
        />
      )}
    </Drawer>
  );
}
