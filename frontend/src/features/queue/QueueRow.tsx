import { useSortable } from '@dnd-kit/sortable';
import { ActionIcon, Group, NumberInput, Table, Text, Tooltip } from '@mantine/core';
import { IconArrowBarToUp, IconGripVertical, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { changeRun, pauseRun, type QueuedRun, queueQuery, resumeRun } from '@/api/queue';
import { useMay } from '@/api/use-may';
import { TextLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { formatCount, formatDuration } from '@/lib/format';
import { canMove } from './move';

const BASES = {
  own_pace: 'by its own pace so far',
  past_runs: 'by past runs of the same plan',
  estimate: 'by the estimate',
} as const;

export function QueueRow({ item }: { readonly item: QueuedRun }): ReactElement {
  const mayEdit = useMay('editor');
  const { place, run } = item;
  const isMovable = mayEdit && canMove(item);
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: run.id,
    disabled: !isMovable,
  });
  return (
    <Table.Tr
      ref={setNodeRef}
      style={{
        transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined,
        transition,
        opacity: isDragging ? 0.6 : undefined,
      }}
      data-row-id={run.id}
    >
      <Table.Td>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Move ${run.name}`}
          disabled={!isMovable}
          className="drag-handle"
          {...attributes}
          {...listeners}
        >
          <IconGripVertical size={16} />
        </ActionIcon>
      </Table.Td>
      <Table.Td ta="right">{place}</Table.Td>
      <Table.Td className="wraps">
        <TextLink to="/runs/$runId" params={{ runId: run.id }} fw={550} className="run-name">
          {run.name}
        </TextLink>
      </Table.Td>
      <WaitCells item={item} />
      <Table.Td>{mayEdit ? <Priority key={run.priority} item={item} /> : run.priority}</Table.Td>
      <Table.Td className="actions-cell">{mayEdit && <RowActions item={item} />}</Table.Td>
    </Table.Tr>
  );
}

/** What it waits for, and what is expected. */
function WaitCells({ item }: { readonly item: QueuedRun }): ReactElement {
  const { run, starts_at, ends_at, agent, reason, basis } = item;
  const seconds = starts_at && ends_at ? (Date.parse(ends_at) - Date.parse(starts_at)) / 1000 : null;
  return (
    <>
      <Table.Td className="wraps">
        <Text size="sm" c={reason ? undefined : 'dimmed'}>
          {reason?.message ?? 'Nothing: an agent is being rung.'}
        </Text>
      </Table.Td>
      <Table.Td>{starts_at ? <RelativeTime at={starts_at} /> : '–'}</Table.Td>
      <Table.Td title={BASES[basis]}>{formatDuration(seconds ?? run.estimated_s)}</Table.Td>
      <Table.Td>{agent?.name ?? '–'}</Table.Td>
      <Table.Td ta="right">{formatCount(run.status_counts.queued)}</Table.Td>
    </>
  );
}

function useQueueChange<T>(name: string, change: (argument: T) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onError: (error) => showFailure(`“${name}” could not be changed`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: queueQuery.queryKey }),
  });
}

/** Saved when the person leaves the field or presses Enter: higher goes first. */
function Priority({ item: { run } }: { readonly item: QueuedRun }): ReactElement {
  const [value, setValue] = useState<string | number>(run.priority);
  const change = useQueueChange(run.name, (priority: number) => changeRun(run.id, { priority }));
  const save = () => {
    const priority = Number(value);
    if (Number.isInteger(priority) && priority !== run.priority) change.mutate(priority);
  };
  return (
    <NumberInput
      size="xs"
      w={76}
      min={-1000}
      max={1000}
      allowDecimal={false}
      aria-label={`Priority of ${run.name}`}
      value={value}
      disabled={change.isPending}
      onChange={setValue}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  );
}

function RowActions({ item }: { readonly item: QueuedRun }): ReactElement {
  const { run } = item;
  const isPaused = run.paused_at !== null;
  const verb = isPaused ? 'Resume' : 'Pause';
  const pause = useQueueChange(run.name, () => (isPaused ? resumeRun(run.id) : pauseRun(run.id)));
  const first = useQueueChange(run.name, () =>
    changeRun(run.id, { priority: Math.min(1000, run.priority + 10) }),
  );
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Tooltip label="Raise its priority by 10">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Raise the priority of ${run.name}`}
          loading={first.isPending}
          onClick={() => first.mutate(undefined)}
        >
          <IconArrowBarToUp size={16} />
        </ActionIcon>
      </Tooltip>
      {canMove(item) && (
        <Tooltip label={verb}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${verb} ${run.name}`}
            loading={pause.isPending}
            onClick={() => pause.mutate(undefined)}
          >
            {isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
