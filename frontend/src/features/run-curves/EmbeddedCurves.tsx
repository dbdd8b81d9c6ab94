import { Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { type Point, pointsQuery, type Run } from '@/api/runs';
import { ChartSkeleton } from '@/components/Skeletons';
import { StatusChip } from '@/components/StatusChip';
import { fileStem } from '@/lib/save-file';
import { CurveLegend, hiddenIn } from './CurveLegend';
import { CurvePanels } from './CurvePanels';
import { type CurveView, panelsOf, select } from './selection';

interface EmbeddedCurvesProps {
  readonly run: Run;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** The curves alone, for a frame on another page. */
export function EmbeddedCurves({ run, view, onView }: EmbeddedCurvesProps): ReactElement {
  const points = useQuery(pointsQuery(run.id));
  if (!points.data) return <ChartSkeleton />;
  return <Curves run={run} view={view} onView={onView} points={points.data.items} />;
}

function Curves({
  run,
  view,
  onView,
  points,
}: EmbeddedCurvesProps & { points: readonly Point[] }): ReactElement {
  const selection = useMemo(() => select(run, view), [run, view]);
  const panels = useMemo(() => panelsOf(points, selection), [points, selection]);
  const hidden = useMemo(() => hiddenIn(view), [view]);
  return (
    <>
      <Group gap="xs" mb={4}>
        <Title order={1} size="h5">
          {run.name}
        </Title>
        <StatusChip status={run.status} />
      </Group>
      <CurveLegend targets={selection.targets} hidden={hidden} onView={onView} />
      <CurvePanels
        panels={panels}
        selection={selection}
        hidden={hidden}
        zoom={view.zoom ?? null}
        fileLabel={fileStem(run.name)}
        onView={onView}
      />
    </>
  );
}
