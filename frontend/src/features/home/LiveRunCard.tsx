import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import { followRun } from '@/api/run-stream';
import type { RunListItem } from '@/api/runs';
import { Sparkline } from '@/components/charts/Sparkline';
import { TextLink } from '@/components/links';
import { StatusChip } from '@/components/StatusChip';
import { countNoun, formatDuration, formatRate } from '@/lib/format';

const SPARK_SECONDS = 60;
const IGNORED = () => undefined;

/** Throughput of the last seconds, as they come. */
function useThroughput(run: RunListItem, hasStream: boolean): readonly number[] {
  const [seconds, setSeconds] = useState<readonly number[]>([]);
  const isRunning = run.status === 'running' && hasStream;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream starts where the list stood when the card came up
  useEffect(() => {
    if (!isRunning) return;
    return followRun(run.id, run.last_event_seq, {
      onSample: ({ operations }) => {
        const total = operations.reduce((sum, operation) => sum + operation.throughput_per_s, 0);
        setSeconds((known) => [...known, total].slice(-SPARK_SECONDS));
      },
      onRun: IGNORED,
      onTrial: IGNORED,
      onPoint: IGNORED,
      onResumed: IGNORED,
      onConnection: IGNORED,
    });
  }, [run.id, isRunning]);
  return seconds;
}

interface LiveRunCardProps {
  readonly run: RunListItem;
  readonly hasStream: boolean;
}

export function LiveRunCard({ run, hasStream }: LiveRunCardProps): ReactElement {
  const seconds = useThroughput(run, hasStream);
  const counts = run.status_counts;
  const ended = counts.succeeded + counts.failed + counts.cancelled + counts.crashed;
  return (
    <Paper withBorder p="md">
      <Stack gap={8}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <TextLink to="/runs/$runId" params={{ runId: run.id }} fw={600} className="run-name">
            {run.name}
          </TextLink>
          <StatusChip status={run.status} />
        </Group>
        <Progress
          value={run.progress * 100}
          size="sm"
          transitionDuration={0}
          aria-label={`Progress of ${run.name}`}
        />
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed" className="numbers">
            {ended} of {countNoun(run.trial_count, 'trial')}
            {run.eta_s !== null && ` · ${formatDuration(run.eta_s)} left`}
          </Text>
          {run.agent && (
            <Text size="xs" c="dimmed">
              {run.agent.name}
            </Text>
          )}
        </Group>
        {run.wait_reason && <Text size="sm">Waits: {run.wait_reason.message}</Text>}
        {seconds.length > 1 && (
          <Group justify="space-between" wrap="nowrap">
            <Sparkline values={seconds} label={`Throughput of the last ${seconds.length} s`} />
            <Text size="sm" className="numbers">
              {formatRate(seconds.at(-1))} ops/s
            </Text>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
