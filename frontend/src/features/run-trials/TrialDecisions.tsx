import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { decideOnTrial, type Trial, trialQuery, undoDecision } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';

/** Does this trial count, who decided so, and the way to decide otherwise. */
export function TrialDecisions({ trial }: { readonly trial: Trial }): ReactElement | null {
  const mayEdit = useMay('editor');
  if (trial.status !== 'succeeded') return null;
  return (
    <Stack gap={6}>
      <Text size="sm">
        {trial.is_counted
          ? 'It enters curves, comparisons and series.'
          : 'It is left out of curves, comparisons and series.'}
      </Text>
      {trial.decisions.length > 0 && (
        <List size="sm">
          {trial.decisions.map((decision) => (
            <List.Item key={decision.id}>
              <span className={decision.undone_at ? 'undone' : undefined}>
                {decision.kind === 'include' ? 'Included' : 'Excluded'} by{' '}
                {decision.created_by?.name ?? 'someone who left'} <RelativeTime at={decision.created_at} />:{' '}
                {decision.reason}
              </span>
              {decision.undone_at && ` Undone by ${decision.undone_by?.name ?? 'someone who left'}.`}
            </List.Item>
          ))}
        </List>
      )}
      {mayEdit && <DecisionForm trial={trial} />}
    </Stack>
  );
}

function DecisionForm({ trial }: { readonly trial: Trial }): ReactElement {
  const [reason, setReason] = useState('');
  const standing = trial.decisions.find(({ undone_at }) => undone_at === null);
  const kind = trial.is_counted ? 'exclude' : 'include';
  const { decide, undo } = useDecisions(trial, () => setReason(''));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        decide.mutate({ kind, reason: reason.trim() });
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          label={kind === 'include' ? 'Include it because' : 'Exclude it because'}
          placeholder={
            kind === 'include' ? 'the reason above does not matter here' : 'a backup ran on the host'
          }
          style={{ flex: 1, minWidth: 200 }}
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={decide.isPending}
          disabled={reason.trim() === ''}
        >
          {kind === 'include' ? 'Include' : 'Exclude'}
        </Button>
        {standing && (
          <Button
            size="xs"
            variant="default"
            loading={undo.isPending}
            onClick={() => undo.mutate(standing.id)}
          >
            Undo the decision
          </Button>
        )}
      </Group>
    </form>
  );
}

interface Decision {
  readonly kind: 'include' | 'exclude';
  readonly reason: string;
}

function useDecisions(trial: Trial, onTaken: () => void) {
  const queries = useQueryClient();
  const after = {
    onSuccess: (next: Trial) => {
      onTaken();
      queries.setQueryData(trialQuery(trial.id).queryKey, next);
    },
    onError: (error: Error) => showFailure('The decision was not taken', error),
    // Curves, verdict and the list of trials rest on it.
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['run', trial.run_id] }),
        queries.invalidateQueries({ queryKey: ['comparisons'] }),
      ]),
  };
  const decide = useMutation({
    mutationFn: ({ kind, reason }: Decision) => decideOnTrial(trial.id, kind, reason),
    ...after,
  });
  const undo = useMutation({
    mutationFn: (decisionId: string) => undoDecision(trial.id, decisionId),
    ...after,
  });
  return { decide, undo };
}
