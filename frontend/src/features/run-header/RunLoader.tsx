import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Run, runQuery } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { PageSkeleton } from '@/components/Skeletons';
import { isTerminal } from '@/components/StatusChip';
import { toProblem } from '@/lib/problem';

/** The stream tells every change; this is for the time estimate, and for a stream that a proxy swallows. */
const REFRESH_MS = 5000;

interface RunLoaderProps {
  readonly runId: string;
  readonly children: (run: Run) => ReactElement;
}

export function RunLoader({ runId, children }: RunLoaderProps): ReactElement {
  const run = useQuery({
    ...runQuery(runId),
    refetchInterval: ({ state }) => (state.data && isTerminal(state.data.status) ? false : REFRESH_MS),
  });
  if (run.data) return children(run.data);
  if (run.isError) {
    const { code, detail } = toProblem(run.error);
    return (
      <FailureState
        what="The run could not be read"
        code={code}
        detail={
          code === 'not_found'
            ? `${detail} It may belong to another team, or its address is cut short.`
            : detail
        }
        onRetry={() => run.refetch()}
      >
        <TextLink to="/runs" size="sm">
          All runs
        </TextLink>
      </FailureState>
    );
  }
  return <PageSkeleton />;
}
