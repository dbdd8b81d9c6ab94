/** The page's view, as it stands in the URL, and the question it asks. Pure. */
import type { ComparisonDefinition, Side } from '@/api/comparisons';

export interface CompareView {
  /** The first is the base; see `sideText`. */
  readonly side?: readonly string[];
  /** Run ids joined by commas, the base first: the short form that other programs link by. */
  readonly runs?: string;
  readonly metric?: readonly string[];
  readonly op?: string;
  /** In per cent. */
  readonly margin?: number;
  readonly axis?: string;
  readonly logx?: boolean;
  readonly logy?: boolean;
  readonly hide?: readonly string[];
}

export interface ComparePage {
  readonly view: CompareView;
  readonly onView: (patch: Partial<CompareView>) => void;
}

export const DEFAULT_METRICS = ['throughput_per_s', 'response_time_p99_ns'] as const;
export const DEFAULT_MARGIN = 2;
export const MOST_SIDES = 20;

/** `<run>`, `<run>?target=redis&connections=4` or `point:<point>`. */
export function sideText(side: Side): string {
  if (side.point_id) return `point:${side.point_id}`;
  const chosen = new URLSearchParams();
  if (side.target) chosen.set('target', side.target);
  for (const [name, value] of Object.entries(side.where ?? {})) chosen.set(name, String(value));
  const query = chosen.toString();
  return query === '' ? (side.run_id ?? '') : `${side.run_id}?${query}`;
}

export function sideOf(text: string): Side {
  if (text.startsWith('point:')) return { point_id: text.slice('point:'.length) };
  const [run_id = '', query = ''] = text.split('?', 2);
  const { target, ...rest } = Object.fromEntries(new URLSearchParams(query));
  const where = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, parameterValue(value)]),
  );
  return {
    run_id,
    ...(target ? { target } : {}),
    ...(Object.keys(where).length > 0 ? { where } : {}),
  };
}

function parameterValue(text: string): string | number {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

export function sidesOf(view: CompareView): string[] {
  return [...(view.side ?? view.runs?.split(',') ?? [])].filter((text) => text !== '').slice(0, MOST_SIDES);
}

/** Null until there are two sides. */
export function definitionOf(view: CompareView): ComparisonDefinition | null {
  const [base, ...contenders] = sidesOf(view).map(sideOf);
  if (!base || contenders.length === 0) return null;
  return {
    base,
    contenders,
    metrics: [...(view.metric ?? DEFAULT_METRICS)],
    operation: view.op ?? 'all',
    margin: (view.margin ?? DEFAULT_MARGIN) / 100,
    confidence: 0.95,
  };
}

export function viewOf(definition: ComparisonDefinition): CompareView {
  const { base, contenders, metrics, operation, margin } = definition;
  const percent = Number(((margin ?? DEFAULT_MARGIN / 100) * 100).toPrecision(6));
  return {
    side: [base, ...contenders].map(sideText),
    metric: metrics,
    op: operation === 'all' ? undefined : operation,
    margin: percent === DEFAULT_MARGIN ? undefined : percent,
  };
}
