import { Group } from '@mantine/core';
import { type ReactElement, useMemo } from 'react';
import type { SeriesLine, SeriesValues } from '@/api/trends';
import {
  ChartFrame,
  ChartLegend,
  type ChartPoint,
  formatInstant,
  ScaleToggle,
  XyChart,
  ZoomSlider,
} from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { quantityOfUnit } from '@/lib/metrics';
import { fileStem } from '@/lib/save-file';
import { baselineOf, linesOf, marksOf, sentenceOf } from './lines';
import { choiceOf, type TrendPage, type TrendSearch } from './view';

const NOTHING_HIDDEN: ReadonlySet<string> = new Set();
const IGNORED = () => undefined;

interface LargeTrendProps extends TrendPage<TrendSearch> {
  readonly line: SeriesLine;
  readonly metric: SeriesValues['metric'];
}

/** One trend, large: its band, what shifted, what people noted. A click opens the point. */
export function LargeTrend({ line, metric, view, onView }: LargeTrendProps): ReactElement {
  const choice = choiceOf(view);
  const quantity = quantityOfUnit(metric.unit);
  const series = useMemo(() => linesOf(line, choice.isSplit), [line, choice.isSplit]);
  const marks = useMemo(() => marksOf(line), [line]);
  const times = useMemo(() => line.values.map(({ at }) => Date.parse(at)), [line]);
  const open = ({ x }: ChartPoint) =>
    onView({ point: line.values.find(({ at }) => Date.parse(at) === x)?.point_id });
  const zoom = view.zoom ?? null;
  const onZoom = (next: readonly [number, number] | null) => onView({ zoom: next ?? undefined });
  return (
    <>
      <ChartFrame
        title={`${metric.title}${choice.operation === 'all' ? '' : ` of ${choice.operation}`}`}
        fileLabel={fileStem('trend', line.series.title)}
        series={series}
        sentence={`${sentenceOf(line, quantity)}${line.downsampled ? ` Of ${line.value_count} points the extremes are drawn.` : ''}`}
        csv={() => valuesCsv(line)}
        toggles={
          <ScaleToggle
            label="from zero"
            name={metric.title}
            isOn={choice.isFromZero}
            onChange={(zero) => onView({ zero: zero || undefined })}
          />
        }
      >
        {choice.isSplit && (
          <Group mb={4}>
            <ChartLegend series={series} hidden={NOTHING_HIDDEN} onToggle={IGNORED} onIsolate={IGNORED} />
          </Group>
        )}
        <XyChart
          name={`${metric.title} of ${line.series.title} over time`}
          height={360}
          series={series}
          x={{ title: 'Measured', quantity: 'time', isLog: false }}
          y={{ title: metric.title, quantity, isLog: false, fromZero: choice.isFromZero }}
          marks={marks}
          level={choice.isSplit ? undefined : baselineOf(line)}
          zoom={zoom}
          onZoom={onZoom}
          onPoint={open}
        />
      </ChartFrame>
      <ZoomSlider values={times} zoom={zoom} onZoom={onZoom} label="time" format={formatInstant} />
    </>
  );
}

function valuesCsv({ values }: SeriesLine): string {
  return toCsv(
    ['at', 'value', 'low', 'high', 'trials', 'store_version', 'run', 'run_id', 'excluded'],
    values.map((value) => [
      value.at,
      value.value,
      value.low,
      value.high,
      value.trials_counted,
      value.store_version,
      value.run_name,
      value.run_id,
      value.excluded?.reason,
    ]),
  );
}
