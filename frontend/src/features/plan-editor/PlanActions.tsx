import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconCalendarTime, IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef } from 'react';
import { type Plan, type PlanDefinition, plansQuery, savePlan, updatePlan } from '@/api/plans';
import type { RecipeRef } from '@/api/recipes';
import { submitRun } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import { selectorOf } from '@/lib/agent-selector';
import type { PathMessage } from '@/lib/json-path';
import { toProblem } from '@/lib/problem';
import { requestId } from '@/lib/request-id';
import { PlanConflict } from './PlanConflict';

interface PlanActionsProps {
  readonly definition: PlanDefinition;
  readonly agentChoice: string | null;
  /** The saved plan this one was started from, and its version then: saving makes the next one. */
  readonly planId: string | undefined;
  readonly planVersion: number | null;
  /** What the plan began as. */
  readonly recipe: RecipeRef | undefined;
  /** Nothing was changed since it was saved. */
  readonly isSaved: boolean;
  readonly isRefused: boolean;
  /** What the api said against the plan when it was submitted, for the fields. */
  readonly onRefused: (refusals: readonly PathMessage[]) => void;
  readonly onStarted: (runId: string) => void;
  readonly onSaved: (plan: Plan) => void;
  readonly onSchedule: (planId: string) => void;
  readonly onReload: () => void;
}

function useStart(props: PlanActionsProps) {
  const { definition, agentChoice, planId, recipe, isSaved, onRefused, onStarted } = props;
  const pressId = useRef(requestId());
  return useMutation({
    mutationFn: () => {
      // A plan run as it was saved counts as its run: its past gives the next one's times.
      const what = planId !== undefined && isSaved ? { plan_id: planId } : { plan: definition, recipe };
      return submitRun({ ...what, agent_selector: selectorOf(agentChoice), priority: 0 }, pressId.current);
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

function useSave({ definition, planId, planVersion, recipe, onRefused, onSaved }: PlanActionsProps) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ asNew }: { asNew: boolean }) =>
      asNew || planId === undefined || planVersion === null
        ? savePlan(definition, recipe)
        : updatePlan(planId, planVersion, definition),
    onSuccess: async (plan) => {
      showDone(`Saved “${plan.name}”, version ${plan.version}.`);
      await queries.invalidateQueries({ queryKey: plansQuery.queryKey });
      onSaved(plan);
    },
    onError: (error) => onRefused(toProblem(error).errors),
  });
}

export function PlanActions(props: PlanActionsProps): ReactElement {
  const mayEdit = useMay('editor');
  const start = useStart(props);
  const save = useSave(props);
  const { isRefused, isSaved, planId, onSchedule } = props;
  const isReady = mayEdit && !isRefused && !start.isPending;
  useHotkeys([['mod+Enter', () => isReady && start.mutate()]], []);
  const schedule = async () => {
    if (planId !== undefined && isSaved) return onSchedule(planId);
    const plan = await save.mutateAsync({ asNew: false }).catch(() => null);
    return plan ? onSchedule(plan.id) : undefined;
  };
  if (!mayEdit) return <ViewersNote />;
  return (
    <Stack gap="xs">
      <Failures {...props} error={start.error ?? save.error} isSaving={save.isPending} onSave={save.mutate} />
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
          leftSection={<IconCalendarTime size={16} aria-hidden="true" />}
          disabled={isRefused || save.isPending}
          title="Saves the plan, then asks when"
          onClick={() => void schedule()}
        >
          Schedule
        </Button>
        <Button
          variant="default"
          leftSection={<IconDeviceFloppy size={16} aria-hidden="true" />}
          loading={save.isPending}
          onClick={() => save.mutate({ asNew: false })}
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

function ViewersNote(): ReactElement {
  return (
    <Text size="sm" c="dimmed">
      Viewers may compose a plan and see what it would do; editors and admins save, schedule and run it.
    </Text>
  );
}

interface FailuresProps {
  readonly error: unknown;
  readonly isSaving: boolean;
  readonly onSave: (how: { asNew: boolean }) => void;
  readonly onReload: () => void;
}

function Failures({ error, isSaving, onSave, onReload }: FailuresProps): ReactElement | null {
  if (!error) return null;
  const { code, title, detail } = toProblem(error);
  if (code !== 'plan_changed') return <FailureState what={title} code={code} detail={detail} />;
  return (
    <PlanConflict
      detail={detail}
      isBusy={isSaving}
      onSaveAsNew={() => onSave({ asNew: true })}
      onReload={onReload}
    />
  );
}
