import { Paper, Stack, Title } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { type Point, pointsQuery, type Run } from '@/api/runs';
import { ZoomSlider } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton, TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { parameterTitle } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { fileStem } from '@/lib/save-file';
import { CurveControls } from './CurveControls';
import { CurveLegend, hiddenIn } from './CurveLegend';
import { CurvePanels } from './CurvePanels';
import { PointsTable } from './PointsTable';
import { type CurveView, numericAxes, operationChoices, panelsOf, select } from './selection';
import { VoidPoints } from './VoidPoints';

interface CurvesTabProps {
  readonly run: Run;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
  readonly onTrial: (trialId: string) => void;
}

export function CurvesTab(props: CurvesTabProps): ReactElement {
  const points = useQuery(pointsQuery(props.run.id));
  if (points.isPending) {
    return (
      <Stack>
        <div className="chart-panels">
          <ChartSkeleton />
          <ChartSkeleton />
        </div>
        <TableSkeleton />
      </Stack>
    );
  }
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
  const hasAny = points.data.items.some(
    ({ total, trials }) => total !== null || trials.some(({ trust }) => trust !== null),
  );
  return hasAny ? <Curves {...props} points={points.data.items} /> : <NothingYet run={props.run} />;
}

interface CurvesProps extends CurvesTabProps {
  readonly points: readonly Point[];
}

function Curves({ run, view, onView, onTrial, points }: CurvesProps): ReactElement {
  const selection = useMemo(() => select(run, view), [run, view]);
  const axes = useMemo(() => numericAxes(run), [run]);
  const panels = useMemo(() => panelsOf(points, selection), [points, selection]);
  const hidden = useMemo(() => hiddenIn(view), [view]);
  const fileLabel = fileStem(run.name);
  const { axis } = selection;
  const zoom = view.zoom ?? null;
  return (
    <Stack gap="sm">
      <CurveControls
        axes={axes}
        operations={operationChoices(points)}
        selection={selection}
        view={view}
        onView={onView}
      />
      <CurveLegend targets={selection.targets} hidden={hidden} onView={onView} />
      <CurvePanels
        panels={panels}
        selection={selection}
        hidden={hidden}
        zoom={zoom}
        fileLabel={fileLabel}
        onView={onView}
      />
      <ZoomSlider
        values={axis.values}
        zoom={zoom}
        onZoom={(next) => onView({ zoom: next ?? undefined })}
        label={parameterTitle(axis.parameter)}
      />
      <VoidPoints points={points} onTrial={onTrial} />
      <Paper withBorder p="sm">
        <Title order={2} size="h5" mb={4}>
          The same numbers
        </Title>
        <PointsTable points={points} axes={axes} selection={selection} csvName={`${fileLabel}-points`} />
      </Paper>
    </Stack>
  );
}

function NothingYet({ run }: { readonly run: Run }): ReactElement {
  const isWaiting = run.status === 'queued' || run.status === 'claimed' || run.status === 'running';
  return (
    <TeachingState
      icon={IconChartLine}
      title={isWaiting ? 'The first point is on its way' : 'No point was measured'}
      text={
        isWaiting
          ? 'A point lands on the curve as soon as its first trial has ended.'
          : 'No trial ended with a result. The Trials tab says what happened to each; clone the run to try again.'
      }
    />
  );
}
