import { Box, Group, Paper, Text, Title } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { pointsQuery, type Run, type Sample, samplesQuery } from '@/api/runs';
import { StatusChip } from '@/components/StatusChip';
import { formatCount, formatRate } from '@/lib/format';
import { describeParameters } from '@/lib/parameters';
import { formatQuantile } from '@/lib/quantile';
import { type LiveSeconds, liveSecondsKey } from './live-seconds';
import { SecondsCharts } from './SecondsCharts';
import { shownOperation, totalErrors, totalThroughput } from './seconds-series';
import { TelemetryCharts } from './TelemetryCharts';
import { marksOf } from './telemetry-marks';
import { useLiveSamples } from './useLiveSamples';
import { useTelemetry } from './useTelemetry';

const CHART_HEIGHT = 170;
const LATEST_SHOWN = 300;
/** What a glance at a trial under way needs; the Time tab has the rest. */
const LIVE_PANELS = ['store:per_s', 'memory', 'cpu'];
const LIVE_PANEL_HEIGHT = 150;

/** The seconds of the trial under way: what was there when the page opened, and what has come since. */
function useLiveSeconds(run: Run): { trialId: string | null; samples: readonly Sample[] } {
  const { data: live } = useQuery<LiveSeconds>({ queryKey: liveSecondsKey(run.id), queryFn: skipToken });
  // A trial that has been claimed but shows nothing yet leaves the last one on the page.
  const trialId = live?.trialId ?? run.current_trial?.id ?? null;
  const before = useQuery({
    ...samplesQuery(trialId ?? ''),
    enabled: trialId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const samples = useLiveSamples(run.id, trialId, before.data);
  return { trialId, samples: samples.slice(-LATEST_SHOWN) };
}

interface LiveTrialProps {
  readonly run: Run;
  /** The operation chosen for the curves, when one is. */
  readonly operation: string | undefined;
}

/** The trial under way, drawn second by second. */
export function LiveTrial({ run, operation }: LiveTrialProps): ReactElement | null {
  const { trialId, samples } = useLiveSeconds(run);
  const { data: points } = useQuery(pointsQuery(run.id));
  const [isLogTime, setLogTime] = useState(true);
  const last = samples.at(-1);
  const seen = useTelemetry(run.id, trialId);
  if (trialId === null || !last) return null;
  const point = points?.items.find(({ trials }) => trials.some(({ id }) => id === trialId));
  const parameters = point?.parameters ?? {};
  const targets = run.axes.find(({ parameter }) => parameter === 'target')?.values ?? [];
  const current = run.current_trial?.id === trialId ? run.current_trial : null;
  const shown = shownOperation(samples, operation);
  const view = { isLogTime, onLogTime: setLogTime, zoom: null };
  return (
    <Paper
      withBorder
      p="sm"
      component="section"
      aria-label="The trial under way"
      data-sample-at={last.at}
      data-last-seq={last.seq}
      data-seconds={samples.length}
    >
      <LiveHeader current={current} parameters={parameters}>
        <LatestSecond last={last} samples={samples} operation={shown} />
      </LiveHeader>
      <SecondsCharts
        samples={samples}
        lookIndex={Math.max(0, targets.indexOf(parameters.target))}
        operation={shown}
        clock="response_time_ns"
        fileLabel={`${run.name}-live`}
        view={view}
        height={CHART_HEIGHT}
        marks={marksOf(seen.events, samples)}
      />
      <Box mt="sm">
        <TelemetryCharts
          samples={samples}
          seen={seen}
          counters={undefined}
          only={LIVE_PANELS}
          fileLabel={`${run.name}-live`}
          view={view}
          height={LIVE_PANEL_HEIGHT}
        />
      </Box>
    </Paper>
  );
}

interface LiveHeaderProps {
  /** Null once it has ended. */
  readonly current: Run['current_trial'];
  readonly parameters: Parameters<typeof describeParameters>[0];
  readonly children: ReactNode;
}

function LiveHeader({ current, parameters, children }: LiveHeaderProps): ReactElement {
  return (
    <Group justify="space-between" mb="xs" gap="xs">
      <Group gap="xs">
        <Title order={2} size="h5">
          {current ? 'Now' : 'Just ended'}
        </Title>
        <Text size="sm">{describeParameters(parameters)}</Text>
        {current && <StatusChip status={current.status} />}
      </Group>
      {children}
    </Group>
  );
}

interface LatestSecondProps {
  readonly last: Sample;
  readonly samples: readonly Sample[];
  readonly operation: string | null;
}

function LatestSecond({ last, samples, operation }: LatestSecondProps): ReactElement {
  const times = last.operations.find((candidate) => candidate.operation === operation)?.response_time_ns;
  const errors = totalErrors(samples);
  return (
    <Group gap="md" className="numbers">
      <Text size="sm">{last.phase}</Text>
      <Text size="sm" fw={650} data-testid="live-throughput">
        {formatRate(totalThroughput(last))} ops/s
      </Text>
      <Text size="sm">p50 {formatQuantile(times, 'p50')}</Text>
      <Text size="sm">p99 {formatQuantile(times, 'p99')}</Text>
      <Text size="sm" c={errors > 0 ? 'var(--tone-bad)' : 'dimmed'}>
        {formatCount(errors)} errors
      </Text>
    </Group>
  );
}
