import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFlag } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { oneSeriesQuery, type Series, type SeriesValues, valuesQuery } from '@/api/trends';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { PageHeader } from '@/components/PageHeader';
import { ChartSkeleton, PageSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { AnnotationDialog } from './AnnotationDialog';
import { LargeTrend } from './LargeTrend';
import { PointDrawer } from './PointDrawer';
import { TrendControls } from './TrendControls';
import { TrendEvents } from './TrendEvents';
import { ValuesTable } from './ValuesTable';
import { choiceOf, labelTitle, type TrendPage, type TrendSearch } from './view';

const LARGE_POINTS = 2000;

interface TrendDetailProps extends TrendPage<TrendSearch> {
  readonly seriesId: string;
  /** Beside the title: what other features can do with this trend. */
  readonly actions?: (series: Series) => ReactNode;
}

export function TrendDetail(props: TrendDetailProps): ReactElement {
  const series = useQuery(oneSeriesQuery(props.seriesId));
  if (series.isPending) return <PageSkeleton />;
  if (!series.data) {
    const { code, detail } = toProblem(series.error);
    return (
      <FailureState
        what="The trend could not be read"
        code={code}
        detail={detail}
        onRetry={() => series.refetch()}
      />
    );
  }
  return <Detail {...props} series={series.data} />;
}

function Detail({ series, view, onView, actions }: TrendDetailProps & { series: Series }): ReactElement {
  const choice = choiceOf(view);
  const [isAnnotating, annotating] = useDisclosure(false);
  const values = useQuery({
    ...valuesQuery({
      seriesIds: [series.id],
      metric: choice.metric,
      operation: choice.operation,
      days: choice.days,
      maxPoints: LARGE_POINTS,
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm">
      <DetailHeader series={series} actions={actions} onAnnotate={annotating.open} />
      <SeriesLabels series={series} />
      <TrendControls view={view} onView={onView} />
      {values.isPending && <ChartSkeleton height={360} />}
      {values.isError && !values.data && (
        <FailureState
          what="The values could not be read"
          code={toProblem(values.error).code}
          detail={toProblem(values.error).detail}
          onRetry={() => values.refetch()}
        />
      )}
      {values.data && <Drawn values={values.data} view={view} onView={onView} />}
      <AnnotationDialog
        isOpen={isAnnotating}
        onClose={annotating.close}
        series={series}
        at={values.data?.items[0]?.values.at(-1)?.at}
      />
    </Stack>
  );
}

interface DetailHeaderProps extends Pick<TrendDetailProps, 'actions'> {
  readonly series: Series;
  readonly onAnnotate: () => void;
}

function DetailHeader({ series, actions, onAnnotate }: DetailHeaderProps): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <PageHeader
      title={series.title}
      actions={
        <>
          {mayEdit && (
            <Button
              variant="default"
              leftSection={<IconFlag size={15} aria-hidden="true" />}
              onClick={onAnnotate}
            >
              Annotate
            </Button>
          )}
          {actions?.(series)}
        </>
      }
    />
  );
}

interface DrawnProps extends TrendPage<TrendSearch> {
  readonly values: SeriesValues;
}

function Drawn({ values, view, onView }: DrawnProps): ReactElement | null {
  const line = values.items[0];
  if (!line) return null;
  const shown = line.values.find(({ point_id }) => point_id === view.point);
  return (
    <>
      <LargeTrend line={line} metric={values.metric} view={view} onView={onView} />
      <TrendEvents line={line} metric={values.metric} onPoint={(point) => onView({ point })} />
      <ValuesTable line={line} metric={values.metric} onPoint={(point) => onView({ point })} />
      <PointDrawer
        seriesId={line.series.id}
        value={shown}
        metric={values.metric}
        onClose={() => onView({ point: undefined })}
      />
    </>
  );
}

function SeriesLabels({ series }: { readonly series: Series }): ReactElement {
  return (
    <Group gap={6} component="ul" className="label-list" aria-label="Labels of this trend">
      {Object.entries(series.labels).map(([name, value]) => (
        <Badge
          key={name}
          component="li"
          variant="default"
          radius="sm"
          tt="none"
          fw={450}
          className="series-label"
        >
          <Text span size="xs" c="dimmed">
            {labelTitle(name)}
          </Text>{' '}
          {value}
        </Badge>
      ))}
    </Group>
  );
}
