import { Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconPlaylist, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { queueQuery } from '@/api/queue';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { ChartSkeleton, TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { QueuedTrials } from './QueuedTrials';
import { RunQueue } from './RunQueue';
import { Timeline } from './Timeline';

export interface QueueView {
  readonly q?: string;
  readonly of?: 'trials';
}

interface QueueBoardProps {
  readonly view: QueueView;
  readonly onView: (view: QueueView) => void;
}

/** A timeline for each agent above what waits, with place, time and reason. */
export function QueueBoard({ view, onView }: QueueBoardProps): ReactElement {
  const queue = useQuery(queueQuery);
  if (queue.isPending) {
    return (
      <Stack>
        <ChartSkeleton height={120} />
        <TableSkeleton columns={6} />
      </Stack>
    );
  }
  if (!queue.data) {
    const { code, detail } = toProblem(queue.error);
    return (
      <FailureState
        what="The queue could not be read"
        code={code}
        detail={detail}
        onRetry={() => void queue.refetch()}
      />
    );
  }
  const { agents, runs, waiting_run_count, waiting_trial_count } = queue.data;
  const waits = waiting_run_count > 0 || waiting_trial_count > 0;
  return (
    <Stack>
      {agents.length > 0 ? <Timeline queue={queue.data} /> : <NoAgents />}
      {waits ? (
        <>
          <QueueTools view={view} onView={onView} />
          {view.of === 'trials' ? (
            <QueuedTrials text={view.q} />
          ) : (
            <RunQueue runs={runs} text={view.q} total={waiting_run_count} />
          )}
        </>
      ) : (
        <NothingWaits />
      )}
    </Stack>
  );
}

function QueueTools({ view, onView }: QueueBoardProps): ReactElement {
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="What is listed"
        data={[
          { value: 'runs', label: 'Runs' },
          { value: 'trials', label: 'Every trial' },
        ]}
        value={view.of ?? 'runs'}
        onChange={(of) => onView({ ...view, of: of === 'trials' ? 'trials' : undefined })}
      />
      <TextInput
        size="xs"
        w={220}
        aria-label="Filter the queue"
        placeholder="Filter ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={view.q ?? ''}
        onChange={(event) => onView({ ...view, q: event.currentTarget.value || undefined })}
      />
    </Group>
  );
}

function NoAgents(): ReactElement {
  return (
    <TeachingState
      icon={IconPlaylist}
      title="No agent has joined"
      text="An agent is a program on a host that measures. Without one, runs wait."
    >
      <ButtonLink to="/agents">Enroll an agent</ButtonLink>
    </TeachingState>
  );
}

function NothingWaits(): ReactElement {
  return (
    <TeachingState
      icon={IconPlaylist}
      title="Nothing waits"
      text="Runs that no agent can begin yet stand here in their order: with their place, when they will begin, and what they wait for. You can reorder them, pause them, and give them priority."
    >
      <ButtonLink to="/runs/new">New run</ButtonLink>
      <TextLink to="/schedules" size="sm">
        or let one start by itself
      </TextLink>
    </TeachingState>
  );
}
