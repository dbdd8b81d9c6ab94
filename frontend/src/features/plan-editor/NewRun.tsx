import { Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { plansQuery } from '@/api/plans';
import { FailureState } from '@/components/FailureState';
import { toProblem } from '@/lib/problem';
import { type DraftOrigin, dropDraft } from './draft-storage';
import { PlanEditor } from './PlanEditor';
import { useInitialDraft } from './useInitialDraft';

interface NewRunProps {
  readonly origin: DraftOrigin;
  readonly onOrigin: (origin: DraftOrigin) => void;
  readonly onStarted: (runId: string) => void;
  readonly onSchedule: (planId: string) => void;
}

export function NewRun({ origin, onOrigin, onStarted, onSchedule }: NewRunProps): ReactElement {
  const initial = useInitialDraft(origin);
  const queries = useQueryClient();
  const [opened, setOpened] = useState(0);
  if (initial.state === 'failed') {
    const { code, detail } = toProblem(initial.error);
    return (
      <FailureState
        what="The plan to start from could not be read"
        code={code}
        detail={detail}
        onRetry={initial.retry}
      />
    );
  }
  if (initial.state === 'loading') {
    return (
      <div className="plan-columns" role="status" aria-label="Loading the plan" aria-busy="true">
        {['what', 'how hard', 'what it means'].map((column) => (
          <Skeleton key={column} height={480} />
        ))}
      </div>
    );
  }
  const choose = (next: DraftOrigin) => {
    // Whoever chooses a recipe, a plan, or the blank one, wants it as it is.
    dropDraft(next);
    onOrigin(next);
  };
  const reload = async () => {
    dropDraft(origin);
    await queries.refetchQueries({ queryKey: plansQuery.queryKey });
    setOpened(opened + 1);
  };
  return (
    <PlanEditor
      key={`${JSON.stringify(origin)}${opened}`}
      initial={initial.draft}
      origin={origin}
      onOrigin={choose}
      onStarted={onStarted}
      onSaved={(plan) => onOrigin({ plan })}
      onSchedule={onSchedule}
      onReload={() => void reload()}
    />
  );
}
