import { Button, Group, Paper, Skeleton, Text } from '@mantine/core';
import { IconChartDots3 } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { memo, type ReactElement, useMemo } from 'react';
import { type Series, type SeriesLine, type SeriesValues, seriesQuery, valuesQuery } from '@/api/trends';
import { TrendThumbnail } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { CardsSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { WhenVisible } from '@/components/WhenVisible';
import { countNoun } from '@/lib/format';
import { quantityOfUnit } from '@/lib/metrics';
import { toProblem } from '@/lib/problem';
import { baselineOf, linesOf, marksOf, sentenceOf } from './lines';
import { choiceOf, type TrendChoice, type TrendSearch } from './view';

/** Panels that are read with one request, when the first of them comes near the screen. */
const CHUNK = 12;
const PANEL_PX = 232;
const SMALL_POINTS = 120;

export function TrendWall({ view }: { readonly view: TrendSearch }): ReactElement {
  const choice = choiceOf(view);
  const found = useInfiniteQuery(
    seriesQuery({ q: view.q, labels: view.label, metric: choice.metric, operation: choice.operation }),
  );
  if (found.isPending) return <CardsSkeleton count={6} height={PANEL_PX} />;
  if (!found.data) {
    const { code, detail } = toProblem(found.error);
    return (
      <FailureState
        what="The series could not be read"
        code={code}
        detail={detail}
        onRetry={() => found.refetch()}
      />
    );
  }
  const all = found.data.pages.flatMap((page) => page.items);
  const shown = view.shifted ? all.filter(({ last_change }) => last_change !== null) : all;
  if (shown.length === 0) return <NoSeries hasFilter={Boolean(view.q || view.label || view.shifted)} />;
  return (
    <section aria-label="Trends">
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {countNoun(shown.length, 'trend')}
        {found.hasNextPage ? ', and more' : ''}
      </Text>
      <div className="card-grid">
        {chunksOf(shown).map((chunk) => (
          <Chunk key={chunk[0]?.id} chunk={chunk} view={view} />
        ))}
      </div>
      {found.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </section>
  );
}

function chunksOf(series: readonly Series[]): (readonly Series[])[] {
  const count = Math.ceil(series.length / CHUNK);
  return Array.from({ length: count }, (_, index) => series.slice(index * CHUNK, (index + 1) * CHUNK));
}

function NoSeries({ hasFilter }: { readonly hasFilter: boolean }): ReactElement {
  return hasFilter ? (
    <TeachingState
      icon={IconChartDots3}
      title="No trend fits these filters"
      text="Take a filter away on the left, or choose another value of it."
    />
  ) : (
    <TeachingState
      icon={IconChartDots3}
      title="No trends yet"
      text="Run the same plan again, by hand or by a schedule: points with the same store, profile, workload, load and kind of agent become one trend, and a shift in it an alert."
    >
      <ButtonLink to="/runs/new">New run</ButtonLink>
    </TeachingState>
  );
}

interface ChunkProps {
  readonly chunk: readonly Series[];
  readonly view: TrendSearch;
}

/** `display: contents`, so that the panels stand in the wall's own grid. */
function Chunk({ chunk, view }: ChunkProps): ReactElement {
  return (
    <>
      {chunk.map((series) => (
        <WhenVisible key={series.id} minHeight={PANEL_PX}>
          {() => <Panel series={series} chunk={chunk} view={view} />}
        </WhenVisible>
      ))}
    </>
  );
}

interface PanelProps extends ChunkProps {
  readonly series: Series;
}

function Panel({ series, chunk, view }: PanelProps): ReactElement {
  const choice = choiceOf(view);
  const values = useQuery(
    valuesQuery({
      seriesIds: chunk.map(({ id }) => id),
      metric: choice.metric,
      operation: choice.operation,
      days: choice.days,
      maxPoints: SMALL_POINTS,
    }),
  );
  const line = values.data?.items.find((item) => item.series.id === series.id);
  return (
    <Paper withBorder p="sm" component="article" aria-label={series.title} className="trend-panel">
      <TextLink
        to="/trends/$seriesId"
        params={{ seriesId: series.id }}
        search={{ metric: view.metric, op: view.op, days: view.days, split: view.split, zero: view.zero }}
        className="trend-title"
        title={series.title}
      >
        {series.title}
      </TextLink>
      {values.isPending && <Skeleton height={132} />}
      {values.isError && (
        <FailureState
          what="The values could not be read"
          code={toProblem(values.error).code}
          detail={toProblem(values.error).detail}
          onRetry={() => values.refetch()}
        />
      )}
      {values.data && line && <SmallTrend line={line} metric={values.data.metric} choice={choice} />}
    </Paper>
  );
}

interface SmallTrendProps {
  readonly line: SeriesLine;
  readonly metric: SeriesValues['metric'];
  readonly choice: TrendChoice;
}

const SmallTrend = memo(function SmallTrend({ line, metric, choice }: SmallTrendProps): ReactElement {
  const quantity = quantityOfUnit(metric.unit);
  const series = useMemo(() => linesOf(line, choice.isSplit), [line, choice.isSplit]);
  const sentence = sentenceOf(line, quantity);
  return (
    <>
      {line.values.length > 0 && (
        <TrendThumbnail
          series={series}
          marks={marksOf(line)}
          quantity={quantity}
          level={choice.isSplit ? undefined : baselineOf(line)}
          name={`${metric.title} of ${line.series.title}`}
        />
      )}
      <Text size="xs" c="dimmed" className="chart-sentence">
        {sentence}
      </Text>
    </>
  );
});
