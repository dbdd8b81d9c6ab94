/** Spectra as lines, and what they and a heat map show in words. Pure. */
import type { HeatMap, Spectrum } from '@/api/latency';
import type { Point, Run } from '@/api/runs';
import type { ChartSeries } from '@/components/charts';
import { toCsv } from '@/lib/csv';
import { formatCount, formatNs } from '@/lib/format';
import { describeAmong, describeParameters } from '@/lib/parameters';

/** A line for each spectrum; points of one target share its colour, later ones lighter. */
export function spectrumLines(run: Run, spectra: readonly Spectrum[]): ChartSeries[] {
  const targets = run.definition.targets.map(({ name }) => name);
  const seen = new Map<number, number>();
  const all = spectra.map(({ parameters }) => parameters);
  return spectra.map((spectrum) => {
    const lookIndex = Math.max(0, targets.indexOf(String(spectrum.parameters.target)));
    const place = seen.get(lookIndex) ?? 0;
    seen.set(lookIndex, place + 1);
    return {
      key: spectrum.point_id,
      label: describeAmong(spectrum.parameters, all),
      lookIndex,
      tint: place === 0 ? undefined : Math.min(1, place * 0.3),
      isBare: true,
      isJoined: true,
      points: spectrum.items.map(({ one_in, value_ns }) => ({ x: one_in, y: value_ns })),
    };
  });
}

/** The slowest value of which one in so many answers is, or slower. */
export function valueAt({ items }: Spectrum, oneIn: number): number | null {
  return items.find((step) => step.one_in >= oneIn)?.value_ns ?? null;
}

export function describeSpectra(spectra: readonly Spectrum[]): string {
  const all = spectra.map(({ parameters }) => parameters);
  const parts = spectra
    .filter(({ items }) => items.length > 0)
    .map((spectrum) => {
      const slowest = spectrum.items.at(-1);
      const median = formatNs(valueAt(spectrum, 2));
      const tail = formatNs(valueAt(spectrum, 1000));
      return `${describeAmong(spectrum.parameters, all)}: half within ${median}, 999 in 1,000 within ${tail}, slowest of ${formatCount(spectrum.count)} ${formatNs(slowest?.value_ns)}`;
    });
  return parts.length > 0 ? `${parts.join('; ')}.` : 'No answer of this operation was measured.';
}

export function spectraCsv(spectra: readonly Spectrum[]): string {
  return toCsv(
    ['point', 'operation', 'kind', 'quantile', 'one_in', 'value_ns'],
    spectra.flatMap(({ parameters, operation, kind, items }) =>
      items.map(({ quantile, one_in, value_ns }) => [
        describeParameters(parameters),
        operation,
        kind,
        quantile,
        one_in,
        value_ns,
      ]),
    ),
  );
}

/** What is compared first: each target at its last point, of the first workload where there are several. */
export function defaultPoints(points: readonly Point[]): string[] {
  const measured = points.filter(({ total }) => total !== null);
  const workload = measured[0]?.parameters.workload;
  const last = new Map<unknown, string>();
  for (const point of measured)
    if (point.parameters.workload === workload) last.set(point.parameters.target, point.id);
  return [...last.values()];
}

/** Points of one workload side by side: lines of unlike workloads in one chart compare nothing. */
export function byWorkload(spectra: readonly Spectrum[]): { name: string | null; spectra: Spectrum[] }[] {
  const groups = new Map<string | null, Spectrum[]>();
  for (const spectrum of spectra) {
    const { workload } = spectrum.parameters;
    const name = typeof workload === 'string' ? workload : null;
    groups.set(name, [...(groups.get(name) ?? []), spectrum]);
  }
  return [...groups].map(([name, found]) => ({ name, spectra: found }));
}

/** The edges that hold all maps. */
export function heatLimits(heats: readonly HeatMap[]): readonly [number, number] | undefined {
  const edges = heats.flatMap(({ edges_ns }) => [edges_ns[0], edges_ns.at(-1)]);
  const known = edges.filter((edge): edge is number => edge !== undefined);
  return known.length > 0 ? [Math.min(...known), Math.max(...known)] : undefined;
}

/** The upper edge within which this share of a column's answers lie; null where there is none. */
export function shareWithin(
  counts: readonly number[],
  edges: readonly number[],
  share: number,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let sum = 0;
  const row = counts.findIndex((count) => {
    sum += count;
    return count > 0 && sum >= total * share;
  });
  return edges[row + 1] ?? null;
}

export function describeHeatMap({ columns, edges_ns }: HeatMap): string {
  const rows = edges_ns
    .slice(0, -1)
    .map((_, row) => columns.reduce((sum, { counts }) => sum + (counts[row] ?? 0), 0));
  const total = rows.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'No answer was measured in this trial.';
  const busiest = rows.indexOf(Math.max(...rows));
  const slowest = rows.findLastIndex((count) => count > 0);
  const slowColumn = columns.find(({ counts }) => (counts[slowest] ?? 0) > 0);
  return (
    `${formatCount(total)} answers; most took ${formatNs(edges_ns[busiest])} to ${formatNs(edges_ns[busiest + 1])}, ` +
    `the slowest ${formatNs(edges_ns[slowest])} to ${formatNs(edges_ns[slowest + 1])}, ` +
    `first at ${Math.round(slowColumn?.from_s ?? 0)} s.`
  );
}

export function heatCsv({ columns, edges_ns }: HeatMap): string {
  return toCsv(
    ['from_s', 'to_s', 'phase', 'from_ns', 'to_ns', 'count'],
    columns.flatMap(({ from_s, to_s, phase, counts }) =>
      counts.flatMap((count, row) =>
        count > 0 ? [[from_s, to_s, phase, edges_ns[row], edges_ns[row + 1], count]] : [],
      ),
    ),
  );
}
