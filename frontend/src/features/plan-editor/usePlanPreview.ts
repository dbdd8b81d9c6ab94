import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type PlanDefinition, type Preview, previewQuery } from '@/api/plans';
import { selectorOf } from '@/lib/agent-selector';
import type { PathMessage } from '@/lib/json-path';
import { type RequestProblem, toProblem } from '@/lib/problem';
import type { Findings } from './findings';

const SETTLED_MS = 300;

export interface PlanPreview {
  readonly preview: Preview | undefined;
  readonly problem: RequestProblem | null;
  readonly findings: Findings;
  readonly isStale: boolean;
  readonly retry: () => void;
}

/** Asks the api what the plan means, once typing pauses. `faults` are what this page found by itself. */
export function usePlanPreview(
  definition: PlanDefinition,
  agentChoice: string | null,
  faults: readonly PathMessage[],
): PlanPreview {
  const body = useMemo(
    () => ({ ...definition, agent_selector: selectorOf(agentChoice) }),
    [definition, agentChoice],
  );
  const [settled] = useDebouncedValue(body, SETTLED_MS);
  const answer = useQuery({ ...previewQuery(settled), placeholderData: keepPreviousData });
  const problem = answer.error ? toProblem(answer.error) : null;
  const findings = useMemo(
    () => ({
      refusals: [...faults, ...(problem?.errors ?? answer.data?.refusals ?? [])],
      warnings: problem ? [] : (answer.data?.warnings ?? []),
    }),
    [faults, problem, answer.data],
  );
  const isStale = answer.isFetching || settled !== body;
  return {
    preview: problem ? undefined : answer.data,
    problem,
    findings,
    isStale,
    retry: () => void answer.refetch(),
  };
}
