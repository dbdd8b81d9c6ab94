import { Button, Group } from '@mantine/core';
import { IconCalendarTime, IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useRef } from 'react';
import { savePlan } from '@/api/plans';
import type { Recipe, RecipeSize } from '@/api/recipes';
import { submitRun } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { ButtonLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { toProblem } from '@/lib/problem';
import { requestId } from '@/lib/request-id';

interface RecipeActionsProps {
  readonly recipe: Recipe;
  readonly size: RecipeSize;
  readonly onStarted: (runId: string) => void;
  readonly onSchedule: (planId: string) => void;
}

/** Run now, change it first, or have it run at set times. */
export function RecipeActions(props: RecipeActionsProps): ReactElement {
  const { recipe, size, onSchedule } = props;
  const mayEdit = useMay('editor');
  const start = useStart(props);
  const save = useMutation({
    mutationFn: () => savePlan(size.definition, { slug: recipe.slug, size: size.size }),
    onSuccess: (plan) => onSchedule(plan.id),
    onError: (error) => showFailure('The plan was not saved', error),
  });
  const editor = (
    <ButtonLink
      to="/runs/new"
      search={{ recipe: recipe.slug, size: size.size }}
      variant="default"
      leftSection={<IconPencil size={16} aria-hidden="true" />}
    >
      Open in editor
    </ButtonLink>
  );
  if (!mayEdit) return editor;
  return (
    <Group gap="xs">
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
        loading={start.isPending}
        onClick={() => start.mutate()}
      >
        Run now
      </Button>
      {editor}
      <Button
        variant="default"
        leftSection={<IconCalendarTime size={16} aria-hidden="true" />}
        loading={save.isPending}
        title="Saves it as a plan, then asks when"
        onClick={() => save.mutate()}
      >
        Schedule
      </Button>
    </Group>
  );
}

function useStart({ recipe, size, onStarted }: RecipeActionsProps) {
  const pressId = useRef(requestId());
  return useMutation({
    mutationFn: () =>
      submitRun({ recipe: { slug: recipe.slug, size: size.size }, priority: 0 }, pressId.current),
    onSuccess: (run) => onStarted(run.id),
    onError: (error) => {
      // Without an answer the run may exist: the same id then finds it instead of starting another.
      if (toProblem(error).status !== 0) pressId.current = requestId();
      showFailure('The run was not started', error);
    },
  });
}
