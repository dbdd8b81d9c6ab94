import { describe, expect, it } from 'vitest';
import type { SeriesLine } from '@/api/trends';
import { baselineOf, linesOf, marksOf, sentenceOf } from './lines';

const EXCLUDED = {
  id: 'x',
  point_id: 'p',
  reason: 'wrong kernel',
  author: null,
  created_at: '2026-01-01T00:00:00Z',
};

function value(day: number, number: number, extra: Partial<SeriesLine['values'][number]> = {}) {
  return {
    point_id: `p${day}`,
    run_id: `r${day}`,
    run_name: `run ${day}`,
    at: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
    value: number,
    low: number * 0.9,
    high: number * 1.1,
    trials_counted: 3,
    store_version: '7.0',
    engine_version: null,
    environment_id: null,
    excluded: null,
    ...extra,
  };
}

function line(values: SeriesLine['values'], extra: Partial<SeriesLine> = {}): SeriesLine {
  return {
    series: { id: 's', title: 'Redis', labels: {} },
    values,
    value_count: values.length,
    downsampled: false,
    change_points: [],
    annotations: [],
    ...extra,
  };
}

const WORSE = {
  id: 'c',
  at: '2026-01-03T00:00:00Z',
  point_id: 'p3',
  metric: 'throughput_per_s',
  operation: 'all',
  before: 1000,
  after: 900,
  change: -0.1,
  direction: 'worse' as const,
  p_value: 0.01,
  algorithm_version: '1',
  alert_id: 'a',
  state: 'suspected' as const,
};

describe('the lines of a series', () => {
  it('keep excluded points, marked as such with their reason', () => {
    const [only] = linesOf(line([value(1, 1000), value(2, 5, { excluded: EXCLUDED })]), false);
    expect(only?.points.map(({ isExcluded }) => isExcluded)).toEqual([false, true]);
    expect(only?.points[1]?.note).toBe('excluded: wrong kernel');
  });

  it('are one for each version of the store when split', () => {
    const lines = linesOf(
      line([
        value(1, 1),
        value(2, 2, { store_version: '7.2' }),
        value(3, 3),
        value(4, 4, { store_version: null }),
      ]),
      true,
    );
    expect(lines.map(({ label, points }) => [label, points.length])).toEqual([
      ['7.0', 2],
      ['7.2', 1],
      ['version unknown', 1],
    ]);
  });
});

describe('marks', () => {
  it('are change points with their change and direction, and annotations as flags', () => {
    const annotation = {
      id: 'n',
      at: '2026-01-02T00:00:00Z',
      title: 'new kernel',
      text: '',
      labels: {},
      author: null,
      created_at: '',
      updated_at: '',
    };
    const marks = marksOf(line([value(1, 1)], { change_points: [WORSE], annotations: [annotation] }));
    expect(marks.map(({ kind, label, tone }) => [kind, label, tone])).toEqual([
      ['change', '−10 %', 'bad'],
      ['flag', 'new kernel', undefined],
    ]);
  });
});

describe('the baseline', () => {
  it('is the middle half since the last change, excluded points left out', () => {
    const values = [
      value(1, 5000),
      value(2, 5000),
      ...[3, 4, 5, 6].map((day) => value(day, 900 + day * 10)),
      value(7, 1, { excluded: EXCLUDED }),
    ];
    expect(baselineOf(line(values, { change_points: [WORSE] }))).toMatchObject({ low: 940, high: 950 });
  });

  it('is none before there are four points', () => {
    expect(baselineOf(line([value(1, 1), value(2, 2)]))).toBeUndefined();
  });
});

describe('the sentence', () => {
  it('says the last value, the range, the last shift and what is excluded', () => {
    const values = [value(1, 1000), value(3, 900), value(4, 7, { excluded: EXCLUDED })];
    expect(sentenceOf(line(values, { change_points: [WORSE] }), 'rate')).toBe(
      '2 points, last 900 ops/s, between 900 ops/s and 1k ops/s; it shifted by −10 % (worse) on 3 Jan; 1 excluded.',
    );
    expect(sentenceOf(line([]), 'rate')).toBe('Nothing that counts was measured in this time.');
  });
});
