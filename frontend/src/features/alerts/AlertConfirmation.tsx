import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconTestPipe } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type AlertDetail, confirmAlert } from '@/api/alerts';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { showDone } from '@/components/notices';
import { toProblem } from '@/lib/problem';

/** The run that shows whether it is real: what it is, how it came out, or the button that starts it. */
export function AlertConfirmation({ alert }: { readonly alert: AlertDetail }): ReactElement | null {
  const mayEdit = useMay('editor');
  const queries = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => confirmAlert(alert.id),
    onSuccess: (run) => {
      showDone(`“${run.name}” is queued.`);
      return queries.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const { confirmation } = alert;
  const problem = confirm.error ? toProblem(confirm.error) : null;
  if (!confirmation && alert.state !== 'suspected') return null;
  return (
    <Paper withBorder p="sm">
      <Title order={3} size="h5" mb={4}>
        Is it real?
      </Title>
      <Stack gap="xs">
        <Text size="sm">{sentenceOf(alert)}</Text>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <Group gap="xs">
          {mayEdit && alert.state === 'suspected' && !isUnderWay(alert) && (
            <Button
              size="xs"
              leftSection={<IconTestPipe size={15} aria-hidden="true" />}
              loading={confirm.isPending}
              onClick={() => confirm.mutate()}
            >
              {confirmation ? 'Add a session' : 'Confirm by a new run'}
            </Button>
          )}
          {confirmation?.run_id && (
            <ButtonLink to="/runs/$runId" params={{ runId: confirmation.run_id }} variant="default" size="xs">
              Open the confirming run
            </ButtonLink>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

function isUnderWay({ confirmation }: AlertDetail): boolean {
  return confirmation !== null && confirmation.result === null && confirmation.refusal === null;
}

function sentenceOf({ confirmation }: AlertDetail): string {
  if (!confirmation) {
    return 'A trend can shift by chance. New sessions tell: old against new inside each, where both can be started.';
  }
  if (confirmation.result) return confirmation.result.sentence;
  if (confirmation.refusal) return confirmation.refusal;
  return `${confirmation.explanation} The run is under way.`;
}
