import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, pointsQuery, type Run, type Sample, samplesQuery } from '@/api/runs';
import { type Zoom, ZoomSlider } from '@/components/charts';
import { type ExportItem, ExportMenu } from '@/components/ExportMenu';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { isTerminal } from '@/components/StatusChip';
import { TeachingState } from '@/components/TeachingState';
import { describeParameters } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { SecondsCharts, type SecondsView } from './SecondsCharts';
import { SecondsTable } from './SecondsTable';
import { endOfSeconds, operationsIn, secondsSince, shownOperation } from './seconds-series';
import { TelemetryCharts } from './TelemetryCharts';
import { marksOf } from './telemetry-marks';
import { useLiveSamples } from './useLiveSamples';
import { useTelemetry } from './useTelemetry';

export interface TimeView {
  readonly trial?: string;
  readonly op?: string;
  readonly time?: 'service';
  readonly logt?: boolean;
  readonly tzoom?: Zoom;
  /** Counters of the store that are drawn. */
  readonly counters?: string[];
}

interface TimeTabProps {
  readonly run: Run;
  readonly view: TimeView;
  readonly onView: (patch: Partial<TimeView>) => void;
}

/** One trial, second by second. */
export function TimeTab({ run, view, onView }: TimeTabProps): ReactElement {
  const points = useQuery(pointsQuery(run.id));
  const choices = trialChoices(points.data?.items ?? []);
  const trialId = choices.find(({ value }) => value === view.trial)?.value ?? choices[0]?.value;
  if (points.isPending) return <ChartSkeleton />;
  if (trialId === undefined) {
    return (
      <TeachingState
        icon={IconClock}
        title="No trial has begun yet"
        text="Once one has, its seconds stand here: throughput and response time as they went."
      />
    );
  }
  const point = points.data?.items.find(({ trials }) => trials.some(({ id }) => id === trialId));
  const targets = run.definition.targets.map(({ name }) => name);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end" wrap="nowrap" gap="xs">
        <Select
          size="xs"
          maw={520}
          flex={1}
          label="Trial"
          searchable
          allowDeselect={false}
          data={choices}
          value={trialId}
          onChange={(trial) => onView({ trial: trial ?? undefined, tzoom: undefined })}
        />
        <ExportMenu items={exportsOf(trialId)} />
      </Group>
      <TrialSeconds
        key={trialId}
        runId={run.id}
        trialId={trialId}
        isEnded={point?.trials.some(({ id, status }) => id === trialId && isTerminal(status)) ?? false}
        lookIndex={Math.max(0, targets.indexOf(String(point?.parameters.target)))}
        fileLabel={`${run.name}-trial`}
        view={view}
        onView={onView}
      />
    </Stack>
  );
}

/** Every second as it was measured, whatever the charts had to thin. */
function exportsOf(trialId: string): ExportItem[] {
  const tables = [
    ['Seconds of the load', 'samples'],
    ['Store and host', 'telemetry'],
    ['Events', 'telemetry-events'],
  ];
  return tables.flatMap(([title, name]) =>
    ['csv', 'json'].map((form) => ({
      label: `${title} as ${form.toUpperCase()}`,
      path: `/api/v1/trials/${trialId}/${name}.${form}`,
    })),
  );
}

/** The trials that have begun, in the order they were executed. */
function trialChoices(points: readonly Point[]): { value: string; label: string }[] {
  return points
    .flatMap((point) => point.trials.map((trial) => ({ point, trial })))
    .filter(({ trial }) => trial.status !== 'queued' && trial.attempt > 0)
    .sort((a, b) => a.trial.ordinal - b.trial.ordinal)
    .map(({ point, trial }) => ({
      value: trial.id,
      label: `${trial.ordinal + 1}: ${describeParameters(point.parameters)}, trial ${trial.repetition + 1}, ${trial.status}${trial.trust === 'void' ? ', void' : ''}`,
    }));
}

interface TrialSecondsProps extends Pick<TimeTabProps, 'view' | 'onView'> {
  readonly runId: string;
  readonly trialId: string;
  readonly lookIndex: number;
  readonly isEnded: boolean;
  readonly fileLabel: string;
}

function TrialSeconds(props: TrialSecondsProps): ReactElement {
  const seconds = useQuery(samplesQuery(props.trialId));
  const live = useLiveSamples(props.runId, props.trialId, seconds.data);
  if (seconds.isPending) return <ChartSkeleton />;
  if (!seconds.data) {
    const { code, detail } = toProblem(seconds.error);
    return (
      <FailureState
        what="The seconds could not be read"
        code={code}
        detail={detail}
        onRetry={() => seconds.refetch()}
      />
    );
  }
  if (live.length === 0) {
    return (
      <TeachingState
        icon={IconClock}
        title="This trial has no seconds"
        text="It ended before the engine could measure one. The Trials tab says why."
      />
    );
  }
  return <Seconds {...props} samples={live} isDownsampled={seconds.data.downsampled} />;
}

interface SecondsProps extends TrialSecondsProps {
  readonly samples: readonly Sample[];
  readonly isDownsampled: boolean;
}

function Seconds(props: SecondsProps): ReactElement {
  const { samples, lookIndex, fileLabel, view, onView } = props;
  const operation = shownOperation(samples, view.op);
  const seen = useTelemetry(props.runId, props.trialId);
  const marks = marksOf(seen.events, samples);
  const charts: SecondsView = {
    isLogTime: view.logt ?? true,
    onLogTime: (logt) => onView({ logt }),
    zoom: view.tzoom ?? null,
    until: props.isEnded ? endOfSeconds(samples, marks) : undefined,
    onZoom: (tzoom) => onView({ tzoom: tzoom ?? undefined }),
  };
  return (
    <Stack gap="sm">
      <SecondsControls operations={operationsIn(samples)} operation={operation} view={view} onView={onView} />
      <SecondsCharts
        samples={samples}
        lookIndex={lookIndex}
        operation={operation}
        clock={view.time === 'service' ? 'service_time_ns' : 'response_time_ns'}
        fileLabel={fileLabel}
        height={260}
        view={charts}
        marks={marks}
      />
      <ZoomSlider
        values={samples.map(secondsSince(samples))}
        zoom={view.tzoom ?? null}
        onZoom={(tzoom) => onView({ tzoom: tzoom ?? undefined })}
        label="seconds"
      />
      {seen.isPending ? (
        <ChartSkeleton />
      ) : (
        <TelemetryCharts
          samples={samples}
          seen={seen}
          counters={view.counters}
          onCounters={(counters) => onView({ counters })}
          fileLabel={fileLabel}
          view={charts}
          height={200}
        />
      )}
      <SecondsTable samples={samples} isDownsampled={props.isDownsampled} csvName={fileLabel} />
    </Stack>
  );
}

interface SecondsControlsProps extends Pick<TimeTabProps, 'view' | 'onView'> {
  readonly operations: string[];
  readonly operation: string | null;
}

function SecondsControls({ operations, operation, view, onView }: SecondsControlsProps): ReactElement {
  return (
    <Group gap="sm">
      {operations.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="Operation"
          data={operations}
          value={operation ?? undefined}
          onChange={(op) => onView({ op })}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label="Clock"
        data={[
          { value: 'response', label: 'Response time' },
          { value: 'service', label: 'Service time' },
        ]}
        value={view.time ?? 'response'}
        onChange={(time) => onView({ time: time === 'service' ? 'service' : undefined })}
      />
    </Group>
  );
}
