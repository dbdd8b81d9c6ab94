import { Paper, Stack, Title } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { NOTHING_PUBLISHED, runPublishedQuery } from '@/api/recipes';
import { pointsQuery, type Run } from '@/api/runs';
import { ZoomSlider } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton, TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { parameterTitle } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { CurveControls } from './CurveControls';
import { CurveLegend } from './CurveLegend';
import { CurvePanels } from './CurvePanels';
import { EngineLimits } from './EngineLimits';
import { KillResults } from './KillResults';
import { MissingPoints } from './MissingPoints';
import { PointsTable } from './PointsTable';
import { PublishedControls } from './PublishedControls';
import { type CurveView, placesOf } from './selection';
import { type CurveData, useCurves } from './useCurves';

interface CurvesTabProps {
  readonly run: Run;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
  readonly onTrial: (trialId: string) => void;
}

export function CurvesTab(props: CurvesTabProps): ReactElement {
  const points = useQuery(pointsQuery(props.run.id));
  const published = useQuery(runPublishedQuery(props.run.id));
  if (points.isPending || published.isPending) return <CurvesSkeleton />;
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
  const data = { points: points.data.items, published: published.data ?? NOTHING_PUBLISHED };
  return hasAny ? <Curves {...props} {...data} /> : <NothingYet run={props.run} />;
}

function CurvesSkeleton(): ReactElement {
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

function Curves(props: CurvesTabProps & CurveData): ReactElement {
  const { run, view, onView, onTrial, points } = props;
  const curves = useCurves(run, view, props);
  const { selection, zoom, fileLabel } = curves;
  const { axis } = selection;
  return (
    <Stack gap="sm">
      <CurveControls {...curves} metric={curves.metricName} view={view} onView={onView} />
      <PublishedControls
        published={props.published}
        isShown={curves.isPublishedShown}
        base={curves.base}
        onView={onView}
      />
      <CurveLegend
        lines={selection.lines}
        references={curves.references}
        hidden={curves.hidden}
        onView={onView}
      />
      <CurvePanels {...curves} view={view} onView={onView} />
      {axis.isNumeric && (
        <ZoomSlider
          values={placesOf(axis)}
          zoom={zoom}
          onZoom={(next) => onView({ zoom: next ?? undefined })}
          label={parameterTitle(axis.parameter)}
        />
      )}
      <KillResults points={points} csvName={`${fileLabel}-kill`} />
      <MissingPoints points={points} onTrial={onTrial} />
      <EngineLimits points={points} />
      <Paper withBorder p="sm">
        <Title order={2} size="h5" mb={4}>
          The same numbers
        </Title>
        <PointsTable
          points={points}
          axes={curves.axes}
          metric={curves.metric}
          selection={selection}
          csvName={`${fileLabel}-points`}
        />
      </Paper>
    </Stack>
  );
}

function NothingYet({ run }: { readonly run: Run }): ReactElement {
  const isWaiting = run.status === 'queued' || run.status === 'claimed' || run.status === 'running';
  const isHeld = isWaiting && run.wait_reason !== null && run.status === 'queued';
  return (
    <TeachingState
      icon={IconChartLine}
      title={
        isHeld ? 'Nothing runs yet' : isWaiting ? 'The first point is on its way' : 'No point was measured'
      }
      text={
        isHeld
          ? 'It begins by itself as soon as what it waits for, above, is there.'
          : isWaiting
            ? 'A point lands on the curve as soon as its first trial has ended.'
            : 'No trial ended with a result. The Trials tab says what happened to each; clone the run to try again.'
      }
    />
  );
}
