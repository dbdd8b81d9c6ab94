import { describe, expect, it } from 'vitest';
import type { Comparison, ComparisonCell } from '@/api/comparisons';
import {
  axesOf,
  curveSeries,
  forestRows,
  forestSentence,
  intervalText,
  verdictText,
  visibleText,
} from './cells';
import { definitionOf, sideOf, sidesOf, sideText, viewOf } from './view';

function cell(changes: Partial<ComparisonCell> = {}): ComparisonCell {
  return {
    contender: 1,
    parameters: { connections: 4 },
    base_point_id: 'p0',
    contender_point_id: 'p1',
    metric: 'throughput_per_s',
    operation: 'all',
    method: 'paired',
    interval_kind: 't',
    order: 'interleaved',
    n_base: 5,
    n_contender: 5,
    n_pairs: 5,
    base_value: 100,
    contender_value: 131,
    ratio: 1.31,
    interval: { low: 1.28, high: 1.34 },
    p_value: 0.001,
    p_adjusted: 0.002,
    verdict: 'better',
    trials_needed: null,
    trials_needed_low: null,
    trials_needed_high: null,
    visible_change: 0.02,
    difference: null,
    difference_interval: null,
    p_margin: 0.002,
    p_sign_flip: null,
    refusal: null,
    ...changes,
  };
}

const SIDE = {
  run: { id: 'run-1', name: 'a run' },
  target: null,
  target_kind: null,
  agent: null,
  started_at: null,
  point_count: 2,
  trial_count: 10,
  trials_counted: 10,
  trials_void: 0,
};

function comparison(cells: ComparisonCell[]): Comparison {
  const points = [1, 4].map((connections) => ({
    point_id: `p${connections}`,
    parameters: { target: 'redis', connections },
    value: connections * 10,
    low: connections * 9,
    high: connections * 11,
    trials_counted: 5,
  }));
  return {
    algorithm_version: 'compare-1',
    definition: { base: { run_id: 'run-1' }, contenders: [{ run_id: 'run-2' }] },
    family_size: cells.length,
    metrics: [{ name: 'throughput_per_s', title: 'Throughput', unit: 'ops/s', better: 'higher' }],
    parameters: ['connections'],
    operations: ['all'],
    sides: [
      { index: 0, label: 'memcached', ...SIDE },
      { index: 1, label: 'redis', ...SIDE },
    ],
    differences: [],
    refusals: [],
    cells,
    curves: [0, 1].map((side) => ({ side, metric: 'throughput_per_s', points })),
    sentence: 'redis against memcached.',
  } as unknown as Comparison;
}

describe('the view in the URL', () => {
  it('writes a side and reads it back, whatever the names hold', () => {
    for (const side of [
      { run_id: 'run-1' },
      { run_id: 'run-1', target: 'Redis & co = 1?' },
      { run_id: 'run-1', where: { connections: 4 } },
      { point_id: 'point-1' },
    ]) {
      expect(sideOf(sideText(side))).toEqual(side);
    }
  });

  it('asks nothing before there are two sides, and takes the short form', () => {
    expect(definitionOf({})).toBeNull();
    expect(definitionOf({ side: ['run-1'] })).toBeNull();
    expect(sidesOf({ runs: 'run-1,run-2' })).toEqual(['run-1', 'run-2']);
    expect(definitionOf({ runs: 'run-1,run-2', margin: 5 })).toMatchObject({
      base: { run_id: 'run-1' },
      contenders: [{ run_id: 'run-2' }],
      margin: 0.05,
      operation: 'all',
    });
  });

  it('opens what was saved as it was asked', () => {
    const definition = definitionOf({ side: ['run-1?target=redis', 'point:p'], margin: 0.5, op: 'get' });
    expect(definition).not.toBeNull();
    if (definition) expect(definitionOf(viewOf(definition))).toEqual(definition);
  });
});

describe('cells in words', () => {
  it('says how many more trials an open cell needs', () => {
    expect(verdictText(cell())).toBe('better');
    expect(verdictText(cell({ verdict: 'not_enough_data', trials_needed: 1 }))).toBe(
      'inconclusive (about 1 more trial)',
    );
    expect(verdictText(cell({ verdict: 'not_enough_data' }))).toBe('inconclusive');
    expect(verdictText(cell({ verdict: 'changed', trials_needed: 4 }))).toBe(
      'changed, size open (about 4 more trials)',
    );
  });

  it('says what so many pairs could have seen', () => {
    expect(visibleText(cell({ visible_change: 0.024 }))).toBe('5 pairs see ±2.4 %');
  });

  it('shows shares of failures as differences', () => {
    const shares = { ratio: null, interval: null, difference: 0.304 };
    expect(intervalText(cell({ ...shares, difference_interval: { low: 0.29, high: 0.32 } }))).toBe(
      '+30.4 pp [+29 pp, +32 pp]',
    );
  });

  it('gives a narrow interval more digits', () => {
    expect(intervalText(cell())).toBe('1.31× [1.28, 1.34]');
    expect(intervalText(cell({ ratio: 1.001, interval: { low: 0.995, high: 1.007 } }))).toBe(
      '1.001× [0.995, 1.007]',
    );
  });

  it('draws a refused cell without a figure and says why', () => {
    const refused = cell({
      ratio: null,
      interval: null,
      verdict: 'not_enough_data',
      refusal: { code: 'all_void', message: 'Every trial of one side is void.' },
    });
    const [row] = forestRows(comparison([refused]), 'throughput_per_s');
    expect(row).toMatchObject({ ratio: null, low: null, word: 'refused', verdict: 'refused' });
    expect(row?.note).toBe('Every trial of one side is void.');
  });

  it('prints the size of the family', () => {
    const rows = forestRows(comparison([cell()]), 'throughput_per_s');
    expect(forestSentence(rows, 12)).toContain('adjusted over 12 cells');
  });
});

describe('curves', () => {
  it('run over what varies, one line a side, with bands', () => {
    const found = comparison([cell()]);
    expect(axesOf(found)).toEqual(['connections']);
    const series = curveSeries(found, 'throughput_per_s', 'connections');
    expect(series.map(({ label }) => label)).toEqual(['memcached', 'redis']);
    expect(series[0]?.points[1]).toMatchObject({ x: 4, y: 40, low: 36, high: 44 });
  });
});
