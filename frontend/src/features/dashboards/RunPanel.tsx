import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { client, dataOf } from '@/api/client';
import type { RunView } from '@/api/dashboards';
import { type Point, pointsQuery, type Run, runQuery } from '@/api/runs';
import { ChartFrame, ChartLegend, XyChart, type Zoom } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { ChartSkeleton } from '@/components/Skeletons';
import { toCsv } from '@/lib/csv';
import { isVisitor } from '@/lib/link';
import { metricTitle } from '@/lib/metrics';
import { parameterTitle } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { axisOf, curvesOf, describeCurves, quantityOfMetric } from './run-curves';

interface RunPanelProps {
  readonly view: RunView;
  readonly title: string;
  readonly height: number;
}

/** The newest run of a plan that has ended. */
function latestRunQuery(planId: string | null | undefined) {
  return queryOptions({
    queryKey: ['runs', 'latest', planId],
    enabled: Boolean(planId),
    queryFn: async () => {
      const { items } = await dataOf(
        client.GET('/api/v1/runs', {
          params: { query: { plan_id: planId ?? undefined, status: ['succeeded', 'failed'], limit: 1 } },
        }),
      );
      return items[0] ?? null;
    },
  });
}

export function RunPanel({ view, title, height }: RunPanelProps): ReactElement {
  const latest = useQuery(latestRunQuery(view.plan_id));
  const runId = view.run_id ?? latest.data?.id;
  const run = useQuery({ ...runQuery(runId ?? ''), enabled: runId !== undefined });
  const points = useQuery({ ...pointsQuery(runId ?? ''), enabled: runId !== undefined });
  const error = latest.error ?? run.error ?? points.error;
  if (run.data && points.data) {
    return <Drawn view={view} title={title} height={height} run={run.data} points={points.data.items} />;
  }
  if (error) {
    const { code, detail } = toProblem(error);
    return (
      <FailureState
        what="The run could not be read"
        code={code}
        detail={detail}
        onRetry={() => points.refetch()}
      />
    );
  }
  if (latest.data === null) return <Text size="sm">This plan has no run that ended yet.</Text>;
  return <ChartSkeleton height={height} />;
}

interface DrawnProps extends RunPanelProps {
  readonly run: Run;
  readonly points: readonly Point[];
}

const NOTHING_HIDDEN: ReadonlySet<string> = new Set();
const IGNORED = () => undefined;

function Drawn({ view, title, height, run, points }: DrawnProps): ReactElement {
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const metric = view.metric ?? 'throughput_per_s';
  const axis = axisOf(run, view.axis ?? null);
  const series = useMemo(
    () => curvesOf(run, points, { axis, metric, operation: view.operation ?? 'all' }),
    [run, points, axis, metric, view.operation],
  );
  const quantity = quantityOfMetric(metric);
  return (
    <ChartFrame
      title={title || run.name}
      fileLabel="dashboard"
      series={series}
      sentence={describeCurves(series, quantity)}
      csv={() =>
        toCsv(
          ['line', axis ?? 'point', metric, 'low', 'high'],
          series.flatMap(({ label, points: shown }) =>
            shown.map(({ x, y, low, high }) => [label, x, y, low, high]),
          ),
        )
      }
      toggles={
        !isVisitor() && (
          <ButtonLink to="/runs/$runId" params={{ runId: run.id }} variant="subtle" size="compact-xs">
            Open
          </ButtonLink>
        )
      }
    >
      <ChartLegend series={series} hidden={NOTHING_HIDDEN} onToggle={IGNORED} onIsolate={IGNORED} />
      <XyChart
        name={`${metricTitle(metric)} of ${run.name}`}
        height={height}
        series={series}
        zoom={zoom}
        onZoom={setZoom}
        x={{ title: axis === null ? 'point' : parameterTitle(axis), quantity: 'plain', isLog: axis !== null }}
        y={{ title: metricTitle(metric), quantity, isLog: quantity === 'duration' }}
      />
    </ChartFrame>
  );
}
