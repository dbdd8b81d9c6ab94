import { Button } from '@mantine/core';
import { IconPlaylistAdd } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { type Comparison, type ComparisonDefinition, queueTrials } from '@/api/comparisons';
import { useMay } from '@/api/use-may';
import { showDone, showFailure } from '@/components/notices';
import { countNoun } from '@/lib/format';

interface QueueTrialsProps {
  readonly definition: ComparisonDefinition;
  readonly found: Comparison | undefined;
}

const MOST_TRIALS = 50;

/** One interleaved run of the sides, long enough for the cells that are still open. */
export function QueueTrials({ definition, found }: QueueTrialsProps): ReactElement | null {
  const mayEdit = useMay('editor');
  const navigate = useNavigate();
  const queue = useMutation({
    mutationFn: () => queueTrials(definition, null),
    onSuccess: (run) => {
      showDone(`“${run.name}” is queued: ${countNoun(run.trial_count, 'trial')}, interleaved.`);
      void navigate({ to: '/runs/$runId', params: { runId: run.id } });
    },
    onError: (error) => showFailure('No trials were queued', error),
  });
  const needed = Math.max(
    0,
    ...(found?.cells ?? []).map(({ trials_needed, n_base }) =>
      trials_needed === null ? 0 : trials_needed + n_base,
    ),
  );
  if (!mayEdit) return null;
  const label = needed > 0 ? `Queue ${Math.min(MOST_TRIALS, needed)} trials a point` : 'Queue more trials';
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlaylistAdd size={15} aria-hidden="true" />}
      loading={queue.isPending}
      disabled={!found}
      title="Submits one interleaved run of these sides"
      onClick={() => queue.mutate()}
    >
      {label}
    </Button>
  );
}
