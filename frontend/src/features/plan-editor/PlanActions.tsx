import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef } from 'react';
import { type PlanDefinition, plansQuery, savePlan, updatePlan } from '@/api/plans';
import { submitRun } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import type { PathMessage } from '@/lib/json-path';
import { toProblem } from '@/lib/problem';
import { requestId } from '@/lib/request-id';

interface PlanActionsProps {
  readonly definition: PlanDefinition;
  readonly agentId: string | null;
  /** The saved plan this one was started from: saving makes its next version. */
  readonly planId: string | undefined;
  readonly isRefused: boolean;
  /** What the api said against the plan when it was submitted, for the fields. */
  readonly onRefused: (refusals: readonly PathMessage[]) => void;
  readonly onStarted: (runId: string) => void;
}

function useStart({ definition, agentId, onRefused, onStarted }: PlanActionsProps) {
  const pressId = useRef(requestId());
  return useMutation({
    mutationFn: () => {
      const selector = agentId === null ? null : { agent_id: agentId, labels: null };
      return submitRun({ plan: definition, agent_selector: selector, priority: 0 }, pressId.current);
    },
    onSuccess: (run) => onStarted(run.id),
    onError: (error) => {
      const { status, errors } = toProblem(error);
      // Without an answer the run may exist: the same id then finds it instead of starting another.
      if (status !== 0) pressId.current = requestId();
      onRefused(errors);
    },
  });
}

function useSave({ definition, planId, onRefused }: PlanActionsProps) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => (planId === undefined ? savePlan(definition) : updatePlan(planId, definition)),
    onSuccess: (plan) => {
      showDone(`Saved “${plan.name}”, version ${plan.version}.`);
      return queries.invalidateQueries({ queryKey: plansQuery.queryKey });
    },
    onError: (error) => onRefused(toProblem(error).errors),
  });
}

export function PlanActions(props: PlanActionsProps): ReactElement {
  const start = useStart(props);
  const save = useSave(props);
  const { isRefused } = props;
  const isReady = !isRefused && !start.isPending;
  useHotkeys([['mod+Enter', () => isReady && start.mutate()]], []);
  const failure = start.error ?? save.error;
  const problem = failure ? toProblem(failure) : null;
  return (
    <Stack gap="xs">
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <Group gap="xs">
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
          loading={start.isPending}
          disabled={isRefused}
          onClick={() => start.mutate()}
        >
          Run now
        </Button>
        <Button
          variant="default"
          leftSection={<IconDeviceFloppy size={16} aria-hidden="true" />}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Save plan
        </Button>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
        </Text>
      </Group>
    </Stack>
  );
}
