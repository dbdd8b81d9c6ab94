import { Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { type SeriesValues, seriesQuery, valuesQuery } from '@/api/trends';
import { ChartFrame, ChartLegend, type ChartSeries, XyChart, type Zoom } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { ChartSkeleton } from '@/components/Skeletons';
import { toCsv } from '@/lib/csv';
import { countNoun } from '@/lib/format';
import { isVisitor } from '@/lib/link';
import { quantityOfUnit } from '@/lib/metrics';
import { toProblem } from '@/lib/problem';
import { baselineOf, linesOf, marksOf, pointOf, sentenceOf } from './lines';

/** What a dashboard keeps of a trend. */
export interface BoardTrend {
  readonly series_ids: readonly string[];
  readonly labels: readonly string[];
  readonly metric: string;
  readonly operation: string;
  readonly days: number | null;
  readonly is_split_by_version: boolean;
}

interface TrendBoardPanelProps {
  readonly view: BoardTrend;
  readonly title: string;
  readonly height: number;
}

const MAX_LINES = 10;
const MAX_POINTS = 400;
const NOTHING_HIDDEN: ReadonlySet<string> = new Set();
const IGNORED = () => undefined;

/** The trends that the panel names, or whose labels match, on one chart. */
export function TrendBoardPanel({ view, title, height }: TrendBoardPanelProps): ReactElement {
  const isByLabel = view.series_ids.length === 0;
  const matching = useInfiniteQuery({ ...seriesQuery({ labels: view.labels }), enabled: isByLabel });
  const all = isByLabel ? (matching.data?.pages[0]?.items.map(({ id }) => id) ?? []) : [...view.series_ids];
  const values = useQuery({
    ...valuesQuery({
      seriesIds: all.slice(0, MAX_LINES),
      metric: view.metric,
      operation: view.operation,
      days: view.days ?? undefined,
      maxPoints: MAX_POINTS,
    }),
    enabled: all.length > 0,
    placeholderData: keepPreviousData,
  });
  const error = matching.error ?? values.error;
  if (values.data) {
    return (
      <Drawn values={values.data} view={view} title={title} height={height} unseen={all.length - MAX_LINES} />
    );
  }
  if (error) {
    const { code, detail } = toProblem(error);
    return (
      <FailureState
        what="The trend could not be read"
        code={code}
        detail={detail}
        onRetry={() => values.refetch()}
      />
    );
  }
  if (isByLabel && matching.data && all.length === 0) {
    return <Text size="sm">No trend has the labels {view.labels.join(', ')}.</Text>;
  }
  return <ChartSkeleton height={height} />;
}

interface DrawnProps extends TrendBoardPanelProps {
  readonly values: SeriesValues;
  readonly unseen: number;
}

function Drawn({ values, view, title, height, unseen }: DrawnProps): ReactElement {
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const quantity = quantityOfUnit(values.metric.unit);
  const only = values.items.length === 1 ? values.items[0] : undefined;
  const series = useMemo<ChartSeries[]>(
    () => (only ? linesOf(only, view.is_split_by_version) : manyLines(values)),
    [only, view.is_split_by_version, values],
  );
  const sentence = only ? sentenceOf(only, quantity) : sentenceOfMany(values, unseen);
  return (
    <ChartFrame
      title={title || values.metric.title}
      fileLabel="dashboard"
      series={series}
      sentence={sentence}
      csv={() => boardCsv(values)}
      toggles={
        only &&
        !isVisitor() && (
          <ButtonLink
            to="/trends/$seriesId"
            params={{ seriesId: only.series.id }}
            variant="subtle"
            size="compact-xs"
          >
            Open
          </ButtonLink>
        )
      }
    >
      {series.length > 1 && (
        <ChartLegend series={series} hidden={NOTHING_HIDDEN} onToggle={IGNORED} onIsolate={IGNORED} />
      )}
      <XyChart
        name={title || values.metric.title}
        height={height}
        series={series}
        zoom={zoom}
        onZoom={setZoom}
        x={{ title: 'Measured', quantity: 'time', isLog: false }}
        y={{ title: values.metric.title, quantity, isLog: false, fromZero: false }}
        marks={only && marksOf(only)}
        level={only && !view.is_split_by_version ? baselineOf(only) : undefined}
      />
    </ChartFrame>
  );
}

function sentenceOfMany({ items }: SeriesValues, unseen: number): string {
  const shifts = items.reduce((sum, { change_points }) => sum + change_points.length, 0);
  const of = unseen > 0 ? ` of ${items.length + unseen}` : '';
  return `${countNoun(items.length, 'trend')}${of}, ${countNoun(shifts, 'shift')} in this time.`;
}

function manyLines(values: SeriesValues): ChartSeries[] {
  return values.items.map((line, lookIndex) => ({
    key: line.series.id,
    label: line.series.title,
    lookIndex,
    isBare: true,
    isJoined: true,
    points: line.values.map(pointOf),
  }));
}

function boardCsv({ items }: SeriesValues): string {
  const rows = items.flatMap(({ series, values }) =>
    values.map((value) => [
      series.title,
      value.at,
      value.value,
      value.low,
      value.high,
      value.excluded?.reason,
    ]),
  );
  return toCsv(['trend', 'at', 'value', 'low', 'high', 'excluded'], rows);
}
