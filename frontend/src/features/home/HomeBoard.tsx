import { Group, Stack, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { type RunListItem, runsQuery } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { CardsSkeleton } from '@/components/Skeletons';
import { isTerminal } from '@/components/StatusChip';
import { toProblem } from '@/lib/problem';
import { FinishedRuns } from './FinishedRuns';
import { FirstMeasurement } from './FirstMeasurement';
import { LiveRunCard } from './LiveRunCard';
import { OpenAlerts } from './OpenAlerts';

const SHOWN_FINISHED = 8;
/** A browser opens six connections to one server; the page needs some for itself. */
const STREAMED = 3;

interface HomeBoardProps {
  /** The team's dashboards, drawn by another feature. */
  readonly pinned: ReactNode;
}

/** What runs, what waits and for what, what shifted, what finished, and what the team looks at. */
export function HomeBoard({ pinned }: HomeBoardProps): ReactElement {
  const runs = useInfiniteQuery(runsQuery({}, 30));
  if (runs.isPending) return <CardsSkeleton />;
  if (runs.isError && !runs.data) {
    const { code, detail } = toProblem(runs.error);
    return (
      <FailureState
        what="The runs could not be read"
        code={code}
        detail={detail}
        onRetry={() => runs.refetch()}
      />
    );
  }
  const items = runs.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <FirstMeasurement />;
  const isRunning = (run: RunListItem) => Number(run.status === 'running' || run.status === 'cancelling');
  // The list begins with the newest; what waits longest goes first.
  const waiting = items.filter((run) => !isTerminal(run.status)).toReversed();
  const live = waiting.sort((a, b) => isRunning(b) - isRunning(a));
  const finished = items.filter((run) => isTerminal(run.status)).slice(0, SHOWN_FINISHED);
  return (
    <Stack gap="lg">
      <LiveRuns runs={live} />
      <OpenAlerts />
      {finished.length > 0 && <FinishedRuns runs={finished} />}
      {pinned}
    </Stack>
  );
}

function LiveRuns({ runs }: { readonly runs: readonly RunListItem[] }): ReactElement {
  return (
    <section aria-labelledby="live-runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="live-runs">
          Now
        </Title>
      </Group>
      {runs.length === 0 ? (
        <p className="quiet">
          Nothing runs and nothing waits.{' '}
          <TextLink to="/runs/new" underline="always">
            Start a run
          </TextLink>
        </p>
      ) : (
        <div className="card-grid">
          {runs.map((run, index) => (
            <LiveRunCard key={run.id} run={run} hasStream={index < STREAMED} />
          ))}
        </div>
      )}
    </section>
  );
}
