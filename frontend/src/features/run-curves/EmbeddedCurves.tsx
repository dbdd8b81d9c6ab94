import { Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { NOTHING_PUBLISHED, runPublishedQuery } from '@/api/recipes';
import { pointsQuery, type Run } from '@/api/runs';
import { ChartSkeleton } from '@/components/Skeletons';
import { StatusChip } from '@/components/StatusChip';
import { CurveLegend } from './CurveLegend';
import { CurvePanels } from './CurvePanels';
import type { CurveView } from './selection';
import { type CurveData, useCurves } from './useCurves';

interface EmbeddedCurvesProps {
  readonly run: Run;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
  /** What the run says in one sentence, drawn by another feature. */
  readonly verdict: ReactNode;
}

/** The curves alone, for a frame on another page. */
export function EmbeddedCurves(props: EmbeddedCurvesProps): ReactElement {
  const { run } = props;
  const points = useQuery(pointsQuery(run.id));
  const published = useQuery(runPublishedQuery(run.id));
  if (!points.data || published.isPending) return <ChartSkeleton />;
  const data = { points: points.data.items, published: published.data ?? NOTHING_PUBLISHED };
  return <Curves {...props} {...data} />;
}

function Curves({ run, view, onView, verdict, ...data }: EmbeddedCurvesProps & CurveData): ReactElement {
  const curves = useCurves(run, view, data);
  return (
    <>
      <Group gap="xs" mb={4}>
        <Title order={1} size="h5">
          {run.name}
        </Title>
        <StatusChip status={run.status} />
      </Group>
      {verdict}
      <CurveLegend
        lines={curves.selection.lines}
        references={curves.references}
        hidden={curves.hidden}
        onView={onView}
      />
      <CurvePanels {...curves} view={view} onView={onView} />
    </>
  );
}
