/** Cells as people read them, and as forest plot and curves want them. Pure. */
import type { Comparison, ComparisonCell, ComparisonVerdict } from '@/api/comparisons';
import type { ChartSeries, ForestRow } from '@/components/charts';
import { countNoun, formatNumber } from '@/lib/format';
import { describeParameters } from '@/lib/parameters';

const WORDS: Record<ComparisonVerdict, string> = {
  better: 'better',
  worse: 'worse',
  equivalent: 'equivalent',
  changed: 'changed, size open',
  not_enough_data: 'inconclusive',
};

/** "inconclusive (about 7 more trials)". */
export function verdictText(cell: ComparisonCell): string {
  if (cell.refusal) return 'refused';
  if (cell.verdict !== 'not_enough_data' && cell.verdict !== 'changed') return WORDS[cell.verdict];
  if (cell.trials_needed === null) return WORDS[cell.verdict];
  return `${WORDS[cell.verdict]} (about ${countNoun(cell.trials_needed, 'more trial')})`;
}

const ORDERS: Record<ComparisonCell['order'], string> = {
  interleaved: 'pairs of one session, interleaved',
  unpaired: 'one session, not in pairs',
  shuffled: 'one session, shuffled',
  sequential: 'one session, one after the other: drift counts as difference',
  sessions: 'two sessions, judged by how much earlier sessions of the series differ: weaker',
};

export function orderText({ order }: ComparisonCell): string {
  return ORDERS[order];
}

export function intervalText({ ratio, interval, difference, difference_interval }: ComparisonCell): string {
  if (difference !== null && difference_interval) {
    const [low, high] = [difference_interval.low, difference_interval.high].map(pointsText);
    return `${pointsText(difference)} [${low}, ${high}]`;
  }
  if (ratio === null || !interval) return '–';
  const digits = interval.high - interval.low >= 0.02 ? 2 : 3;
  return `${ratio.toFixed(digits)}× [${interval.low.toFixed(digits)}, ${interval.high.toFixed(digits)}]`;
}

/** "+30.4 pp": percentage points. */
function pointsText(share: number): string {
  return `${share < 0 ? '−' : '+'}${formatNumber(Math.abs(share) * 100)} pp`;
}

/** "5 pairs see ±2.4 %": what the cell could have seen. */
export function visibleText(cell: ComparisonCell): string {
  if (cell.visible_change === null) return '–';
  return `${countsText(cell)} see ±${formatNumber(cell.visible_change * 100)} %`;
}

export function placeText(cell: ComparisonCell): string {
  return describeParameters(cell.parameters) || 'the whole';
}

export function cellKey(cell: ComparisonCell): string {
  return `${cell.metric}:${cell.contender}:${cell.contender_point_id}`;
}

export function forestRows({ cells, sides }: Comparison, metric: string): ForestRow[] {
  const isMany = sides.length > 2;
  return cells
    .filter((cell) => cell.metric === metric)
    .map((cell) => ({
      key: cellKey(cell),
      label: [isMany ? sides[cell.contender]?.label : null, describeParameters(cell.parameters)]
        .filter(Boolean)
        .join(' · '),
      lookIndex: cell.contender,
      ratio: cell.ratio,
      low: cell.interval?.low ?? null,
      high: cell.interval?.high ?? null,
      word: verdictText(cell),
      verdict: cell.refusal ? 'refused' : cell.verdict,
      note: cell.refusal?.message ?? `${orderText(cell)}; n = ${countsText(cell)}`,
    }));
}

export function countsText({ n_pairs, n_base, n_contender }: ComparisonCell): string {
  return n_pairs > 0 ? countNoun(n_pairs, 'pair') : `${n_base} + ${n_contender}`;
}

/** Parameters with numbers that at least one side varies: what a curve may run over. */
export function axesOf({ curves }: Comparison): string[] {
  const values = new Map<string, Set<number>>();
  for (const { points } of curves) {
    for (const { parameters } of points) {
      for (const [name, value] of Object.entries(parameters)) {
        if (typeof value === 'number') values.set(name, (values.get(name) ?? new Set()).add(value));
      }
    }
  }
  return [...values].filter(([, found]) => found.size > 1).map(([name]) => name);
}

/** One line a side, and one each for what else it varies (its targets, further axes). */
export function curveSeries(found: Comparison, metric: string, axis: string): ChartSeries[] {
  return found.curves
    .filter((curve) => curve.metric === metric)
    .flatMap(({ side, points }) => {
      const lines = new Map<string, (typeof points)[number][]>();
      for (const point of points) {
        const { [axis]: _, ...rest } = point.parameters;
        const name = describeParameters(varying(rest, points));
        lines.set(name, [...(lines.get(name) ?? []), point]);
      }
      const label = found.sides[side]?.label ?? '';
      return [...lines].map(([name, members], index) => ({
        key: `${side}:${name}`,
        label: [label, name].filter(Boolean).join(' · '),
        lookIndex: side,
        tint: lines.size > 1 ? index / lines.size : 0,
        points: members
          .map((point) => ({
            x: Number(point.parameters[axis]),
            y: point.value,
            low: point.low,
            high: point.high,
            trialsCounted: point.trials_counted,
          }))
          .filter(({ x }) => Number.isFinite(x))
          .sort((a, b) => a.x - b.x),
      }));
    });
}

type Parameters = Readonly<Record<string, unknown>>;

function varying(parameters: Parameters, points: readonly { parameters: Parameters }[]): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([name]) => new Set(points.map((point) => point.parameters[name])).size > 1,
    ),
  );
}

/** What the forest plot shows, in words. */
export function forestSentence(rows: readonly ForestRow[], familySize: number): string {
  const counts = new Map<ForestRow['verdict'], number>();
  for (const { verdict } of rows) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const said = [...counts].map(
    ([verdict, count]) => `${count} ${verdict === 'refused' ? verdict : WORDS[verdict]}`,
  );
  const ratios = rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
  const range =
    ratios.length > 0
      ? ` Ratios from ${formatNumber(Math.min(...ratios))}× to ${formatNumber(Math.max(...ratios))}×.`
      : '';
  return `${countNoun(rows.length, 'cell')}: ${said.join(', ')}.${range} p-values adjusted over ${countNoun(familySize, 'cell')} (Benjamini-Hochberg).`;
}
