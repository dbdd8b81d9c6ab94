import { Group, MultiSelect, SegmentedControl, Select, Stack } from '@mantine/core';
import { IconClockHour4 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { type Point, pointsQuery, type Run } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { describeAmong } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { HeatPanel, type HeatTrial, MOST_MAPS } from './HeatPanel';
import { SpectrumPanel } from './SpectrumPanel';
import { defaultPoints } from './spectra';

export interface LatencyView {
  readonly op?: string;
  readonly time?: 'service';
  readonly trial?: string;
  /** Trials whose heat maps are drawn. */
  readonly maps?: string[];
  /** Points whose spectra are drawn. */
  readonly pts?: string[];
}

interface LatencyTabProps {
  readonly run: Run;
  readonly view: LatencyView;
  readonly onView: (patch: Partial<LatencyView>) => void;
}

/** Lines that can still be told apart. */
const MAX_SPECTRA = 12;

/** Where the answers' times lie: all percentiles of chosen points, and one trial over time. */
export function LatencyTab({ run, view, onView }: LatencyTabProps): ReactElement {
  const points = useQuery(pointsQuery(run.id));
  if (points.isPending) return <ChartSkeleton />;
  if (!points.data) {
    const { code, detail } = toProblem(points.error);
    return (
      <FailureState
        what="The points could not be read"
        code={code}
        detail={detail}
        onRetry={() => points.refetch()}
      />
    );
  }
  const measured = points.data.items.filter(({ total }) => total !== null);
  if (measured.length === 0) {
    return (
      <TeachingState
        icon={IconClockHour4}
        title="No point is measured yet"
        text="Once a trial has ended, every percentile of its answers stands here, and how they went over time."
      />
    );
  }
  return <Latency run={run} view={view} onView={onView} points={measured} />;
}

interface LatencyProps extends LatencyTabProps {
  readonly points: readonly Point[];
}

function Latency({ run, view, onView, points }: LatencyProps): ReactElement {
  const kind = view.time === 'service' ? 'service' : 'response';
  const chosen = useMemo(() => {
    const known = (view.pts ?? []).filter((id) => points.some((point) => point.id === id));
    return (known.length > 0 ? known : defaultPoints(points)).slice(0, MAX_SPECTRA);
  }, [view.pts, points]);
  const operations = [
    'all',
    ...new Set(points.flatMap((point) => point.operations.map(({ operation }) => operation))),
  ];
  const operation = shownOperation(operations, view.op);
  const trials = trialsOf(points, chosen);
  const maps = shownMaps(trials, view);
  return (
    <Stack gap="sm">
      <LatencyControls points={points} chosen={chosen} operations={operations} view={view} onView={onView} />
      <SpectrumPanel run={run} pointIds={chosen} operation={operation} kind={kind} />
      {maps.length > 0 && (
        <HeatPanel
          trials={trials}
          chosen={maps}
          onTrials={(next) => onView({ maps: next, trial: undefined })}
          operation={operation === 'all' ? undefined : operation}
          kind={kind}
          fileLabel={run.name}
        />
      )}
    </Stack>
  );
}

/** Those asked for; else the first trial of each chosen point. A trial that another tab shows comes alone. */
function shownMaps(trials: readonly LatencyTrial[], { maps, trial }: LatencyView): string[] {
  const asked = maps ?? (trial === undefined ? [] : [trial]);
  const known = asked.filter((id) => trials.some(({ value }) => value === id));
  if (known.length > 0) return known.slice(0, MOST_MAPS);
  const firsts = new Map(trials.toReversed().map(({ pointId, value }) => [pointId, value]));
  return trials
    .filter(({ pointId, value }) => firsts.get(pointId) === value)
    .map(({ value }) => value)
    .slice(0, MOST_MAPS);
}

function shownOperation(operations: readonly string[], asked: string | undefined): string {
  return operations.find((name) => name === asked) ?? 'all';
}

interface LatencyControlsProps extends Pick<LatencyTabProps, 'view' | 'onView'> {
  readonly points: readonly Point[];
  readonly chosen: string[];
  readonly operations: string[];
}

function LatencyControls({ points, chosen, operations, view, onView }: LatencyControlsProps): ReactElement {
  const all = points.map(({ parameters }) => parameters);
  return (
    <Group gap="sm" align="flex-end">
      <MultiSelect
        size="xs"
        label="Points"
        style={{ flex: '1 1 320px' }}
        maxValues={MAX_SPECTRA}
        searchable
        hidePickedOptions
        data={points.map((point) => ({ value: point.id, label: describeAmong(point.parameters, all) }))}
        value={chosen}
        onChange={(pts) =>
          onView({ pts: pts.length > 0 ? pts : undefined, trial: undefined, maps: undefined })
        }
      />
      <Select
        size="xs"
        w={130}
        label="Operation"
        allowDeselect={false}
        data={operations}
        value={shownOperation(operations, view.op)}
        onChange={(op) => onView({ op: op === 'all' ? undefined : (op ?? undefined) })}
      />
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

interface LatencyTrial extends HeatTrial {
  readonly pointId: string;
}

/** Of the chosen points, in the order they were executed. */
function trialsOf(points: readonly Point[], chosen: readonly string[]): LatencyTrial[] {
  const all = points.map(({ parameters }) => parameters);
  return points
    .filter(({ id }) => chosen.includes(id))
    .flatMap((point) => point.trials.map((trial) => ({ point, trial })))
    .filter(({ trial }) => trial.attempt > 0)
    .sort((a, b) => a.trial.ordinal - b.trial.ordinal)
    .map(({ point, trial }) => ({
      pointId: point.id,
      value: trial.id,
      label: `${describeAmong(point.parameters, all)}, trial ${trial.repetition + 1}`,
    }));
}
