import { describe, expect, it } from 'vitest';
import { believedNs, formatQuantile, formatQuantileMs, type QuantileValues, quantileMark } from './quantile';

const TIMES: QuantileValues = {
  p50: 2_000_000,
  p90: 900_000_000,
  p95: 950_000_000,
  p99: 970_000_000,
  p999: 999_000_000,
  max: null,
  bounds: { p90: { kind: 'between', to_ns: 1_200_000_000 }, p99: { kind: 'at_least', to_ns: null } },
  void: { p999: { message: 'p99.9 needs 10,000 requests, and there were 3,000.' } },
};

describe('quantiles that requests without an answer touch', () => {
  it('are printed as what is known of them', () => {
    expect(formatQuantile(TIMES, 'p50')).toBe('2 ms');
    expect(formatQuantile(TIMES, 'p90')).toBe('900 ms to 1.2 s');
    expect(formatQuantile(TIMES, 'p99')).toBe('≥ 970 ms');
    expect(formatQuantile(TIMES, 'p999')).toBe('void');
    expect(formatQuantileMs(TIMES, 'p99')).toBe('≥ 970');
  });

  it('are marked in charts, and void ones enter none', () => {
    expect(quantileMark(TIMES, 'p99')).toBe('≥');
    expect(quantileMark(TIMES, 'p90')).toBe('to 1.2 s');
    expect(quantileMark(TIMES, 'p50')).toBeUndefined();
    expect(believedNs(TIMES, 'p99')).toBe(970_000_000);
    expect(believedNs(TIMES, 'p999')).toBeNull();
    expect(believedNs(null, 'p50')).toBeNull();
  });
});
