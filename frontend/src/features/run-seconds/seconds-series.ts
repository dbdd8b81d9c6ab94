/** The seconds of a trial as lines. Pure. */
import type { Sample, SampleOperation } from '@/api/runs';
import type { ChartMark, ChartPoint, ChartSeries, ChartSpan } from '@/components/charts';
import { type QuantileName, quantileMark } from '@/lib/quantile';

export type Clock = 'response_time_ns' | 'service_time_ns';

/** Seconds since the trial's first one began; phases follow each other on one axis. */
export function secondsSince(samples: readonly Sample[]): (sample: Sample) => number {
  const first = samples[0];
  const start = first ? Date.parse(first.at) - first.duration_s * 1000 : 0;
  return (sample) => Math.round((Date.parse(sample.at) - start) / 10) / 100;
}

/** What was counted at the end of a phase covers a moment only: its rates say nothing, and would set the scale. */
export const SHORTEST_S = 0.2;

/** Those whose rates say something: all of them where what is measured was over in a moment. */
export function secondsWithRate(samples: readonly Sample[]): ReadonlySet<Sample> {
  const isLong = ({ duration_s }: Sample) => duration_s >= SHORTEST_S;
  const measured = samples.filter(({ phase }) => phase === 'measure');
  const isOverInAMoment = !(measured.length > 0 ? measured : samples).some(isLong);
  return new Set(isOverInAMoment ? samples : samples.filter(isLong));
}

export function totalThroughput(sample: Sample): number {
  return sample.operations.reduce((sum, operation) => sum + operation.throughput_per_s, 0);
}

export function totalErrors(samples: readonly Sample[]): number {
  return samples.reduce(
    (sum, { operations }) => sum + operations.reduce((inner, { errors }) => inner + errors, 0),
    0,
  );
}

/** Before measuring begins any operation will do; the prefill's sets do not outvote what is measured. */
const UNMEASURED_WEIGHT = 1e-6;

/** The operation asked for, else the one that most answers are of. Percentiles of several cannot be averaged. */
export function shownOperation(samples: readonly Sample[], asked: string | undefined): string | null {
  const counts = new Map<string, number>();
  for (const { phase, operations } of samples) {
    const weight = phase === 'measure' ? 1 : UNMEASURED_WEIGHT;
    for (const { operation, count } of operations) {
      counts.set(operation, (counts.get(operation) ?? 0) + count * weight);
    }
  }
  if (asked !== undefined && counts.has(asked)) return asked;
  const [most] = [...counts.entries()].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}

export function operationsIn(samples: readonly Sample[]): string[] {
  return [
    ...new Set(samples.flatMap(({ operations }) => operations.map(({ operation }) => operation))),
  ].sort();
}

export function throughputSeries(samples: readonly Sample[], lookIndex: number, label: string): ChartSeries {
  const xOf = secondsSince(samples);
  const rated = secondsWithRate(samples);
  const points = samples.map((sample) => ({
    x: xOf(sample),
    y: rated.has(sample) ? totalThroughput(sample) : null,
    label: sample.phase,
  }));
  return { key: 'throughput', label, lookIndex, isBare: true, points: withBreaks(points) };
}

/** Operations that failed, were refused or went unanswered, each second. */
export function failedSeries(samples: readonly Sample[], lookIndex: number, label: string): ChartSeries {
  const xOf = secondsSince(samples);
  const rated = secondsWithRate(samples);
  const points = samples.map((sample) => ({
    x: xOf(sample),
    y: rated.has(sample) ? totalErrors([sample]) / (sample.duration_s || 1) : null,
    label: sample.phase,
  }));
  return { key: 'failed', label, lookIndex, isBare: true, points: withBreaks(points) };
}

/** A line does not run from one phase into the next: what is sent changes between them. */
function withBreaks(points: readonly ChartPoint[]): ChartPoint[] {
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    if (!before || before.label === point.label) return [point];
    return [{ x: (before.x + point.x) / 2, y: null, label: point.label }, point];
  });
}

interface TimeLine {
  readonly percentile: QuantileName;
  readonly title: string;
  readonly tint: number;
}

const TIME_LINES: readonly TimeLine[] = [
  { percentile: 'p99', title: 'p99', tint: 0 },
  { percentile: 'p50', title: 'p50', tint: 0.55 },
];

export function timeSeries(
  samples: readonly Sample[],
  lookIndex: number,
  operation: string | null,
  clock: Clock,
): ChartSeries[] {
  const xOf = secondsSince(samples);
  const find = ({ operations }: Sample): SampleOperation | undefined =>
    operations.find((candidate) => candidate.operation === operation);
  return TIME_LINES.map(({ percentile, title, tint }) => ({
    key: percentile,
    label: operation === null ? title : `${operation} ${title}`,
    lookIndex,
    tint,
    isBare: true,
    points: withBreaks(
      samples.map((sample) => ({
        x: xOf(sample),
        y: find(sample)?.[clock][percentile] ?? null,
        mark: quantileMark(find(sample)?.[clock], percentile),
        label: sample.phase,
      })),
    ),
  }));
}

/** From where to where each phase went. */
export function phaseSpans(samples: readonly Sample[]): ChartSpan[] {
  const xOf = secondsSince(samples);
  const spans = new Map<string, ChartSpan>();
  for (const sample of samples) {
    const to = xOf(sample);
    const known = spans.get(sample.phase);
    const from = known?.from ?? Math.max(0, to - sample.duration_s);
    spans.set(sample.phase, { from, to, label: sample.phase });
  }
  return [...spans.values()];
}

/** What an ended trial shows: its seconds, and what happened after the last of them. */
export function endOfSeconds(samples: readonly Sample[], marks: readonly ChartMark[]): number {
  const last = samples.at(-1);
  const reached = last ? secondsSince(samples)(last) : 0;
  return Math.max(reached, ...marks.map(({ x, until }) => until ?? x));
}

const LIMIT_STEP_S = 10;

/** How far the axis goes: to the next full ten seconds, so that a growing line steps. */
export function secondsLimit(samples: readonly Sample[]): number {
  const last = samples.at(-1);
  const reached = last ? secondsSince(samples)(last) : 0;
  return Math.max(LIMIT_STEP_S, Math.ceil(reached / LIMIT_STEP_S) * LIMIT_STEP_S);
}
