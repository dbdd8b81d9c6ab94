import { describe, expect, it } from 'vitest';
import type { HeatMap, Spectrum } from '@/api/latency';
import { operation, point } from '../../../tests/fixtures';
import {
  byWorkload,
  defaultPoints,
  describeHeatMap,
  describeSpectra,
  heatCsv,
  heatLimits,
  shareWithin,
  valueAt,
} from './spectra';

const SPECTRUM: Spectrum = {
  point_id: 'p',
  parameters: { target: 'Redis', connections: 4 },
  operation: 'all',
  operations: ['get'],
  kind: 'response',
  count: 20_000,
  trials_counted: 2,
  unreadable: 0,
  unanswered: 0,
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
  unreadable: 0,
  edges_ns: [1000, 10_000, 100_000],
  columns: [
    { phase: 'measure', from_s: 0, to_s: 1, counts: [90, 0], at_least: [] },
    { phase: 'measure', from_s: 1, to_s: 2, counts: [50, 3], at_least: [] },
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

describe('many targets', () => {
  it('begin with each at its last point of the first workload', () => {
    const points = ['set', 'get'].flatMap((workload) =>
      [1, 4].map((connections) => point({ target: 'Redis', workload, connections }, operation(1))),
    );
    expect(defaultPoints(points)).toEqual([points[1]?.id]);
  });

  it('have a chart for each workload', () => {
    const of = (workload: string) => ({ ...SPECTRUM, parameters: { ...SPECTRUM.parameters, workload } });
    const groups = byWorkload([of('set'), of('get'), of('set')]);
    expect(groups.map(({ name, spectra }) => [name, spectra.length])).toEqual([
      ['set', 2],
      ['get', 1],
    ]);
    expect(byWorkload([SPECTRUM])[0]?.name).toBeNull();
  });

  it('share the scale of their heat maps', () => {
    expect(heatLimits([HEAT, { ...HEAT, edges_ns: [500, 5_000_000] }])).toEqual([500, 5_000_000]);
    expect(heatLimits([{ ...HEAT, edges_ns: [] }])).toBeUndefined();
  });

  it('are read from a map as well: half of the answers within the lower stretch, all within the upper', () => {
    expect(shareWithin([50, 3], HEAT.edges_ns, 0.5)).toBe(10_000);
    expect(shareWithin([50, 3], HEAT.edges_ns, 1)).toBe(100_000);
    expect(shareWithin([0, 0], HEAT.edges_ns, 1)).toBeNull();
  });
});
