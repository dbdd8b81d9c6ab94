import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCopyPlus, IconHourglass, IconPlayerStop, IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { cancelRun, type Run, runQuery } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { CancelRunDialog } from '@/components/CancelRunDialog';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { PageHeader } from '@/components/PageHeader';
import { RelativeTime } from '@/components/RelativeTime';
import { isTerminal, StatusChip } from '@/components/StatusChip';
import { countNoun, formatDuration } from '@/lib/format';
import { LoadChip } from './LoadChip';
import { VerdictLine } from './VerdictLine';

interface RunHeaderProps {
  readonly run: Run;
  readonly connection: 'open' | 'away';
  /** Beside those that change the run. */
  readonly actions?: ReactNode;
  readonly note?: ReactNode;
}

/** Name, status, how far it is, what it waits for, and what can be done about it. */
export function RunHeader({ run, connection, actions, note }: RunHeaderProps): ReactElement {
  return (
    <header>
      <PageHeader
        title={run.name}
        aside={
          <>
            <StatusChip status={run.status} />
            <LoadChip load={run.definition.load} />
          </>
        }
        actions={<HeaderActions run={run} more={actions} />}
      />
      <Stack gap="xs" mb="md">
        <VerdictLine run={run} />
        <RunFacts run={run} />
        {note}
        {!isTerminal(run.status) && <RunProgress run={run} />}
        {run.wait_reason && (
          <Alert p="xs" variant="outline" color="yellow" icon={<IconHourglass size={16} />} title="Waits">
            {run.wait_reason.message}
          </Alert>
        )}
        {connection === 'away' && (
          <Alert p="xs" variant="outline" color="yellow" icon={<IconPlugConnectedX size={16} />}>
            The live stream is away; it reconnects by itself and misses nothing.
          </Alert>
        )}
        {run.error && (
          <FailureState what={`The run ${run.status}`} code={run.error.code} detail={run.error.message} />
        )}
      </Stack>
    </header>
  );
}

function RunFacts({ run }: { readonly run: Run }): ReactElement {
  const took =
    run.started_at && run.finished_at
      ? (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000
      : null;
  return (
    <Group gap="md" c="dimmed" fz="sm">
      <span>
        {countNoun(run.point_count, 'point')}, {countNoun(run.trial_count, 'trial')}
      </span>
      {run.agent && <span>on {run.agent.name}</span>}
      {run.created_by && <span>by {run.created_by.name}</span>}
      {run.started_at ? (
        <span>
          started <RelativeTime at={run.started_at} />
        </span>
      ) : (
        <span>
          submitted <RelativeTime at={run.created_at} />
        </span>
      )}
      {took !== null && <span>took {formatDuration(took)}</span>}
    </Group>
  );
}

function RunProgress({ run }: { readonly run: Run }): ReactElement {
  const counts = run.status_counts;
  const ended = counts.succeeded + counts.failed + counts.cancelled + counts.crashed;
  return (
    <Group gap="md" wrap="nowrap">
      <Progress
        value={run.progress * 100}
        style={{ flex: 1 }}
        size="md"
        transitionDuration={0}
        aria-label="Progress of the run"
      />
      <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {ended} of {run.trial_count}
        {run.eta_s !== null && ` · ${formatDuration(run.eta_s)} left`}
      </Text>
    </Group>
  );
}

function HeaderActions({ run, more }: { readonly run: Run; readonly more: ReactNode }): ReactNode {
  const mayEdit = useMay('editor');
  const [isAsking, ask] = useDisclosure(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onSuccess: (next) => queries.setQueryData(runQuery(run.id).queryKey, next),
    onError: (error) => showFailure('The run could not be cancelled', error),
    onSettled: ask.close,
  });
  if (!mayEdit) return more;
  return (
    <>
      {!isTerminal(run.status) && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlayerStop size={15} aria-hidden="true" />}
          disabled={run.status === 'cancelling'}
          onClick={ask.open}
        >
          Cancel
        </Button>
      )}
      <ButtonLink
        variant="default"
        size="xs"
        leftSection={<IconCopyPlus size={15} aria-hidden="true" />}
        to="/runs/new"
        search={{ from: run.id }}
      >
        Clone with changes
      </ButtonLink>
      {more}
      <CancelRunDialog
        runName={run.name}
        isOpen={isAsking}
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
        onClose={ask.close}
      />
    </>
  );
}
