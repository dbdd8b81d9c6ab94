import { describe, expect, it } from 'vitest';
import type { HeatMap, Spectrum } from '@/api/latency';
import { describeHeatMap, describeSpectra, heatCsv, valueAt } from './spectra';

const SPECTRUM: Spectrum = {
  point_id: 'p',
  parameters: { target: 'Redis', connections: 4 },
  operation: 'all',
  operations: ['get'],
  kind: 'response',
  count: 20_000,
  trials_counted: 2,
  items: [
    { quantile: 0, one_in: 1, value_ns: 10_000 },
    { quantile: 0.5, one_in: 2, value_ns: 60_000 },
    { quantile: 0.999, one_in: 1000, value_ns: 900_000 },
    { quantile: 1, one_in: 20_000, value_ns: 5_000_000 },
  ],
};

const HEAT: HeatMap = {
  trial_id: 't',
  attempt: 1,
  operation: null,
  kind: 'response',
  edges_ns: [1000, 10_000, 100_000],
  columns: [
    { phase: 'measure', from_s: 0, to_s: 1, counts: [90, 0] },
    { phase: 'measure', from_s: 1, to_s: 2, counts: [50, 3] },
  ],
};

describe('a spectrum', () => {
  it('is said by its median, its tail and its slowest answer', () => {
    expect(describeSpectra([SPECTRUM])).toBe(
      'Redis · 4 connections: half within 60 µs, 999 in 1,000 within 900 µs, slowest of 20,000 5 ms.',
    );
    expect(describeSpectra([{ ...SPECTRUM, items: [] }])).toBe('No answer of this operation was measured.');
  });

  it('has no value where there were fewer answers', () => {
    expect(valueAt(SPECTRUM, 1e6)).toBeNull();
  });
});

describe('a heat map', () => {
  it('says what is usual, what is slowest and when that came first', () => {
    expect(describeHeatMap(HEAT)).toBe(
      '143 answers; most took 1 µs to 10 µs, the slowest 10 µs to 100 µs, first at 1 s.',
    );
  });

  it('writes the cells that hold answers', () => {
    expect(heatCsv(HEAT).trim().split('\r\n')).toHaveLength(4);
  });

  it('without answers says so', () => {
    expect(describeHeatMap({ ...HEAT, columns: [], edges_ns: [] })).toBe(
      'No answer was measured in this trial.',
    );
  });
});
