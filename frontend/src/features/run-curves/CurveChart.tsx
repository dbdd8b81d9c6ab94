import { Anchor, Paper, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { ChartFrame, type ChartSeries, ScaleToggle, XyChart, type Zoom } from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { parameterTitle } from '@/lib/parameters';
import { type Drawn, panelTitle, valuesOf } from './drawn';
import { type CurveAxis, type CurveView, placesOf, type Selection, valueAtPlace } from './selection';
import { throughputSentence, valuesSentence, zeroSentence } from './sentences';

interface CurveChartProps {
  readonly drawn: Drawn;
  readonly selection: Selection;
  readonly zoom: Zoom | null;
  readonly fileLabel: string;
  readonly height: number;
  /** All values of the panels that share the scale. */
  readonly shared?: readonly number[];
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** One metric over the axis, with what was published for the same place. */
export function CurveChart(props: CurveChartProps): ReactElement {
  const { drawn, selection, zoom, onView } = props;
  const { axis, isLogX } = selection;
  const { lines, log, quantity } = drawn;
  const title = `${drawn.title} over ${parameterTitle(axis.parameter)}${panelTitle(drawn.panel)}`;
  const zero = zeroSentence(lines, log.isOn, selection);
  if (drawn.lacksBase !== null) return <Undivided title={title} base={drawn.lacksBase} onView={onView} />;
  return (
    <ChartFrame
      title={title}
      fileLabel={props.fileLabel}
      series={lines}
      sentence={
        quantity === 'rate'
          ? throughputSentence(lines, selection)
          : valuesSentence(lines, quantity, selection)
      }
      csv={() => curveCsv(lines, axis.parameter, axis)}
      note={<Notes texts={[zero, undividedNote(drawn)]} />}
      toggles={<Toggles drawn={drawn} selection={selection} onView={onView} />}
    >
      <XyChart
        name={title}
        height={props.height}
        series={lines}
        x={{
          title: parameterTitle(axis.parameter),
          quantity: 'plain',
          isLog: isLogX,
          ...(axis.isNumeric ? { values: xValues(axis, lines) } : { names: axis.values.map(String) }),
        }}
        y={{
          title: drawn.axisTitle,
          quantity,
          isLog: log.isOn,
          values: quantity === 'ratio' ? aroundOne(props.shared ?? valuesOf(drawn)) : props.shared,
        }}
        zoom={axis.isNumeric ? zoom : null}
        onZoom={axis.isNumeric ? (next) => onView({ zoom: next ?? undefined }) : undefined}
        syncId="run-curves"
      />
    </ChartFrame>
  );
}

interface UndividedProps {
  readonly title: string;
  readonly base: string;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** In place of axes with nothing between them. */
function Undivided({ title, base, onView }: UndividedProps): ReactElement {
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h6" mb={4}>
        {title}
      </Title>
      <Text size="sm">
        {base} was not measured here, so there is nothing to divide by.{' '}
        <Anchor component="button" type="button" size="sm" onClick={() => onView({ norm: 'none' })}>
          Show absolute values
        </Anchor>
      </Text>
    </Paper>
  );
}

function Notes({ texts }: { readonly texts: readonly (string | null)[] }): ReactElement {
  return (
    <>
      {texts.map(
        (text) =>
          text && (
            <Text key={text} size="xs">
              {text}
            </Text>
          ),
      )}
    </>
  );
}

function undividedNote({ undivided, axisTitle, quantity }: Drawn): string | null {
  if (undivided.length === 0) return null;
  return `Published, but not as ${quantity === 'ratio' ? `a ${axisTitle}` : 'values'}: ${undivided.join(', ')}. Choose other values to see it.`;
}

/** The line that all are divided by must not lie on the frame. */
function aroundOne(values: readonly number[]): number[] {
  return [...values, 0.8, 1.25];
}

/** Published figures may reach further than the run. */
function xValues(axis: CurveAxis, lines: readonly ChartSeries[]): number[] {
  const published = lines.filter(({ isReference }) => isReference);
  const places = published.flatMap(({ points }) => points.map(({ x }) => x));
  return [...new Set([...placesOf(axis), ...places])].sort((a, b) => a - b);
}

function Toggles({ drawn, selection, onView }: Pick<CurveChartProps, 'drawn' | 'selection' | 'onView'>) {
  const { log, title } = drawn;
  return (
    <>
      {selection.axis.isNumeric && (
        <ScaleToggle
          label="log x"
          name={title}
          isOn={selection.isLogX}
          onChange={(logx) => onView({ logx })}
        />
      )}
      <ScaleToggle
        label="log y"
        name={title}
        isOn={log.isOn}
        onChange={(isOn) => onView({ [log.name]: isOn })}
      />
    </>
  );
}

/** @param axis where x is a place of it; left out where x is a value of its own */
export function curveCsv(series: readonly ChartSeries[], x: string, axis?: CurveAxis): string {
  const rows = series.flatMap(({ label, points, isReference }) =>
    points.map((point) => [
      label,
      axis ? valueAtPlace(axis, point.x) : point.x,
      point.label,
      point.y,
      point.low,
      point.high,
      point.trialsCounted,
      isReference ? 'published' : point.trust,
      point.failed?.text,
    ]),
  );
  return toCsv(['line', x, 'at', 'value', 'low', 'high', 'trials', 'trust', 'failed'], rows);
}
