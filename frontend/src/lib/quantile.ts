import { formatNs, formatNumber } from './format';

export type QuantileName = 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max';

interface Bound {
  readonly kind: 'at_least' | 'between';
  readonly to_ns: number | null;
}

/** Quantiles as the api gives them; one that `bounds` does not name is exact. */
export type QuantileValues = Readonly<Record<QuantileName, number | null>> & {
  readonly bounds?: Partial<Record<QuantileName, Bound>>;
  readonly void?: Partial<Record<QuantileName, { readonly message: string }>>;
};

interface Quantile {
  /** In nanoseconds: the least that it can be. */
  readonly value: number | null;
  readonly bound: Bound | null;
  /** Why it may not be believed. */
  readonly voidReason: string | null;
}

function quantileOf(times: QuantileValues | null | undefined, name: QuantileName): Quantile {
  return {
    value: times?.[name] ?? null,
    bound: times?.bounds?.[name] ?? null,
    voidReason: times?.void?.[name]?.message ?? null,
  };
}

/** The value of a quantile that may enter a curve. */
export function believedNs(times: QuantileValues | null | undefined, name: QuantileName): number | null {
  const { value, voidReason } = quantileOf(times, name);
  return voidReason === null ? value : null;
}

/** `>=`, `to 1.2 s`, `void`: beside a point of a chart; nothing where the quantile is exact. */
export function quantileMark(
  times: QuantileValues | null | undefined,
  name: QuantileName,
): string | undefined {
  const { bound } = quantileOf(times, name);
  if (!bound) return undefined;
  return bound.to_ns === null ? '≥' : `to ${formatNs(bound.to_ns)}`;
}

/** The one way to print a quantile: `12 ms`, `≥ 0.97 s`, `0.9 s to 1.2 s`, `void`. */
export function formatQuantile(times: QuantileValues | null | undefined, name: QuantileName): string {
  return written(quantileOf(times, name), formatNs);
}

/** The same in milliseconds, without the unit. */
export function formatQuantileMs(times: QuantileValues | null | undefined, name: QuantileName): string {
  return written(quantileOf(times, name), (ns) => formatNumber(ns === null ? null : ns / 1e6));
}

function written({ value, bound, voidReason }: Quantile, format: (ns: number | null) => string): string {
  if (voidReason !== null) return 'void';
  if (!bound) return format(value);
  return bound.to_ns === null ? `≥ ${format(value)}` : `${format(value)} to ${format(bound.to_ns)}`;
}
