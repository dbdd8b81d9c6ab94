import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { ActionIcon, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { moveRun, type Queue, type QueuedRun, queueQuery } from '@/api/queue';
import { showFailure } from '@/components/notices';
import { toCsv } from '@/lib/csv';
import { saveText } from '@/lib/save-file';
import { dropPlace, reordered } from './move';
import { QueueRow } from './QueueRow';

interface RunQueueProps {
  readonly runs: readonly QueuedRun[];
  readonly text: string | undefined;
  readonly total: number;
}

interface Move {
  readonly movedId: string;
  readonly overId: string;
  readonly place: { before: string } | { after: string };
}

function useMove() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ movedId, place }: Move) => moveRun(movedId, place),
    onMutate: async ({ movedId, overId }) => {
      await queries.cancelQueries({ queryKey: queueQuery.queryKey });
      queries.setQueryData(queueQuery.queryKey, (queue: Queue | undefined) =>
        queue ? { ...queue, runs: reordered(queue.runs, movedId, overId) } : queue,
      );
    },
    onError: (error) => showFailure('The run could not be moved', error),
    onSettled: () => queries.invalidateQueries({ queryKey: queueQuery.queryKey }),
  });
}

/** Runs in the order in which they will begin; dragged by the handle, or with space and the arrow keys. */
export function RunQueue({ runs, text, total }: RunQueueProps): ReactElement {
  const move = useMove();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const shown = runs.filter(({ run }) => !text || run.name.toLowerCase().includes(text.toLowerCase()));
  const drop = ({ active, over }: DragEndEvent) => {
    const [movedId, overId] = [String(active.id), String(over?.id ?? '')];
    const place = dropPlace(runs, movedId, overId);
    if (place) move.mutate({ movedId, overId, place });
  };
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          {total > runs.length
            ? `The first ${runs.length} of ${total} runs that wait`
            : 'Runs that wait, in order'}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Save the queue as CSV"
          title="Save as CSV"
          onClick={() => saveText('loadstone-queue.csv', queueCsv(shown))}
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Group>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ announcements: announcementsOf(runs) }}
      >
        <SortableContext items={shown.map(({ run }) => run.id)} strategy={verticalListSortingStrategy}>
          <QueueTable runs={shown} />
        </SortableContext>
      </DndContext>
    </Paper>
  );
}

/** For screen readers, by name instead of by id. */
function announcementsOf(runs: readonly QueuedRun[]): Announcements {
  const nameOf = (id: string | number) => runs.find(({ run }) => run.id === id)?.run.name ?? 'the run';
  return {
    onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${nameOf(active.id)} is over ${nameOf(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `${nameOf(active.id)} was dropped on ${nameOf(over.id)}.` : 'It stays where it was.',
    onDragCancel: ({ active }) => `${nameOf(active.id)} stays where it was.`,
  };
}

function QueueTable({ runs }: { readonly runs: readonly QueuedRun[] }): ReactElement {
  return (
    <Stack gap={0}>
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="Waiting runs">
        <Table
          highlightOnHover
          className="data-table queue-table"
          verticalSpacing={4}
          horizontalSpacing={6}
          aria-label="Waiting runs"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <span className="visually-hidden">Move</span>
              </Table.Th>
              <Table.Th ta="right">Place</Table.Th>
              <Table.Th>Run</Table.Th>
              <Table.Th>Waits for</Table.Th>
              <Table.Th>Begins</Table.Th>
              <Table.Th>Takes</Table.Th>
              <Table.Th>Agent</Table.Th>
              <Table.Th ta="right">Trials</Table.Th>
              <Table.Th>Priority</Table.Th>
              <Table.Th>
                <span className="visually-hidden">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((item) => (
              <QueueRow key={item.run.id} item={item} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {runs.length === 0 && (
        <Text size="sm" c="dimmed" p={6}>
          No run of that name waits.
        </Text>
      )}
    </Stack>
  );
}

function queueCsv(runs: readonly QueuedRun[]): string {
  return toCsv(
    ['Place', 'Run', 'Reason', 'Begins', 'Ends', 'Agent', 'Trials', 'Priority'],
    runs.map(({ place, run, reason, starts_at, ends_at, agent }) => [
      place,
      run.name,
      reason?.message,
      starts_at,
      ends_at,
      agent?.name,
      run.status_counts.queued,
      run.priority,
    ]),
  );
}
