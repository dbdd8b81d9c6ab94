import { Stack } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type ComparisonDefinition, comparisonQuery } from '@/api/comparisons';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton, TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { CompareControls } from './CompareControls';
import { CompareResult } from './CompareResult';
import { SavedComparisons } from './SavedComparisons';
import { SideChips } from './SideChips';
import { type ComparePage, definitionOf, sidesOf } from './view';

/** Which is better: sides as chips, what differs, then the verdicts. */
export function Compare(page: ComparePage): ReactElement {
  const definition = definitionOf(page.view);
  return (
    <Stack>
      {definition ? (
        <Answer {...page} definition={definition} />
      ) : (
        <>
          <SideChips {...page} sides={[]} />
          <NothingChosen hasBase={sidesOf(page.view).length === 1} />
          <SavedComparisons onOpen={page.onView} />
        </>
      )}
    </Stack>
  );
}

function NothingChosen({ hasBase }: { readonly hasBase: boolean }): ReactElement {
  return (
    <TeachingState
      icon={IconScale}
      title={hasBase ? 'Compare it with what?' : 'Which is better?'}
      text={
        hasBase
          ? 'The base is chosen. Add a contender above: another run, or another target of the same run.'
          : 'Choose a base and up to nineteen contenders: runs, or targets of one run. Targets that took turns in one interleaved run are compared as pairs, which sees a difference of 3 % with ten trials; two runs of different days say much less, and need a series with eight earlier sessions.'
      }
    />
  );
}

function Answer({
  definition,
  view,
  onView,
}: ComparePage & { readonly definition: ComparisonDefinition }): ReactElement {
  const found = useQuery(comparisonQuery(definition));
  const problem = found.error ? toProblem(found.error) : null;
  return (
    <>
      <SideChips view={view} onView={onView} sides={found.data?.sides ?? []} />
      <CompareControls view={view} onView={onView} definition={definition} found={found.data} />
      {problem && (
        <FailureState
          what="These sides cannot be compared"
          code={problem.code}
          detail={problem.detail}
          onRetry={() => found.refetch()}
        />
      )}
      {found.isPending && (
        <>
          <TableSkeleton rows={3} columns={3} />
          <ChartSkeleton height={220} />
        </>
      )}
      {found.data && !problem && <CompareResult found={found.data} view={view} onView={onView} />}
    </>
  );
}
