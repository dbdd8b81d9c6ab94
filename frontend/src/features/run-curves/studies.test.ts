import { describe, expect, it } from 'vitest';
import type { PublishedSeries, RunPublished } from '@/api/recipes';
import { operation, point, run } from '../../../tests/fixtures';
import { drawn } from './drawn';
import { metricOfKill, metricsOf, OVERVIEW, throughputMetric } from './metrics';
import { lineOfStudy, metricOfStudy, referencesOf } from './published';
import { axesOf, panelsOf, select } from './selection';
import { throughputSentence, valuesSentence } from './sentences';
import { failedOf, killedTrials } from './shape';

const STUDY = run({
  axes: [
    { parameter: 'target', values: ['memcached', 'Redis'] },
    { parameter: 'workload', values: ['set', 'get'] },
    { parameter: 'connections', values: [50, 200] },
    { parameter: 'value_size_bytes', values: [64, 1024] },
  ],
});

function cell(target: string, workload: string, connections: number, per_s: number) {
  return point({ target, workload, connections, value_size_bytes: 64 }, operation(per_s));
}

const POINTS = [
  cell('memcached', 'set', 50, 100_000),
  cell('memcached', 'set', 200, 200_000),
  cell('Redis', 'set', 50, 50_000),
  cell('Redis', 'set', 200, 150_000),
  cell('memcached', 'get', 50, 120_000),
];

function published(changes: Partial<PublishedSeries> = {}): PublishedSeries {
  return {
    label: 'memcached 1.4.5',
    system: 'memcached',
    client: 'xmemcached',
    scenario: 'set',
    derived: null,
    relative_to: null,
    match: { target: 'memcached', workload: 'set' },
    axis: 'connections',
    metric: 'throughput_per_s',
    unit: 'ops/s',
    points: [
      { x: 200, value: 40_000, note: null },
      { x: 400, value: 50_000, note: null },
    ],
    ...changes,
  };
}

const OVERLAY: RunPublished = {
  series: [
    published(),
    published({
      label: 'Redis 2.4.2',
      system: 'redis',
      match: { target: 'Redis', workload: 'set' },
      points: [{ x: 200, value: 20_000, note: 'read off a chart' }],
    }),
  ],
  normalise_to: { target: 'memcached' },
  source: { title: 'A study', author: 'Somebody', year: 2011, note: null },
};

describe('the axes of a study', () => {
  it('spread names over panels and bind numbers to their first value', () => {
    const selection = select(STUDY, {});
    expect(selection.axis.parameter).toBe('connections');
    expect(selection.lineAxis.parameter).toBe('target');
    expect(selection.others.map(({ parameter, chosen }) => [parameter, chosen])).toEqual([
      ['workload', null],
      ['value_size_bytes', 64],
    ]);
    expect(panelsOf(POINTS, selection).map(({ key, points }) => [key, points.length])).toEqual([
      ['workload=set', 4],
      ['workload=get', 1],
    ]);
  });

  it('make a grid of two, without cells that hold nothing', () => {
    const panels = panelsOf(POINTS, select(STUDY, { split: ['value_size_bytes'] }));
    expect(panels.map(({ key }) => key)).toEqual([
      'workload=set&value_size_bytes=64',
      'workload=get&value_size_bytes=64',
    ]);
  });

  it('may swap their roles: panels by target, a line a workload', () => {
    const selection = select(STUDY, { line: 'workload' });
    expect(selection.lines).toEqual(['set', 'get']);
    expect(panelsOf(POINTS, selection).map(({ key }) => key)).toEqual(['target=memcached', 'target=Redis']);
  });

  it('of names stand side by side without a line between them', () => {
    const selection = select(STUDY, { axis: 'workload', at: { connections: 50 } });
    const [panel] = panelsOf(POINTS, selection);
    const [memcached] = panel ? drawn(asked(selection), panel, throughputMetric(selection)).lines : [];
    expect(memcached?.isUnjoined).toBe(true);
    expect(memcached?.points.map(({ x, y }) => [x, y])).toEqual([
      [0, 100_000],
      [1, 120_000],
    ]);
  });

  it('without numbers begin with the longest list of names, and lines of a single target are its workloads', () => {
    const named = run({
      axes: [
        { parameter: 'target', values: ['memcached'] },
        { parameter: 'workload', values: ['a', 'b'] },
        { parameter: 'engine', values: ['native', 'ycsb', 'memtier'] },
      ],
    });
    const selection = select(named, {});
    expect([selection.axis.parameter, selection.lineAxis.parameter]).toEqual(['engine', 'workload']);
    expect(axesOf(named)).toHaveLength(3);
  });
});

function asked(selection: ReturnType<typeof select>, changes: Partial<Parameters<typeof drawn>[0]> = {}) {
  const nothing: RunPublished = { series: [], normalise_to: null, source: null };
  return { selection, view: {}, base: null, published: nothing, hidden: new Set<string>(), ...changes };
}

describe('published figures', () => {
  const selection = select(STUDY, {});
  const [sets, gets] = panelsOf(POINTS, selection);
  const metric = throughputMetric(selection);

  it('choose the metric and the line that a study is about', () => {
    expect(metricOfStudy(OVERLAY)).toBe('throughput_per_s');
    expect(lineOfStudy(OVERLAY, selection)).toBe('memcached');
    expect(metricOfStudy({ ...OVERLAY, series: [] })).toBeUndefined();
    expect(referencesOf(OVERLAY, selection, 'throughput_per_s')).toEqual([
      { label: 'memcached 1.4.5', line: 'memcached' },
      { label: 'Redis 2.4.2', line: 'Redis' },
    ]);
    expect(referencesOf(OVERLAY, selection, OVERVIEW)).toEqual([]);
  });

  it('stand in the panel that they are of, grey, beside their target', () => {
    const { lines } = drawn(asked(selection, { published: OVERLAY }), sets as never, metric);
    const references = lines.filter(({ isReference }) => isReference);
    expect(references.map(({ label, lookIndex }) => [label, lookIndex])).toEqual([
      ['memcached 1.4.5', 0],
      ['Redis 2.4.2', 1],
    ]);
    const others = drawn(asked(selection, { published: OVERLAY }), gets as never, metric).lines;
    expect(others.filter(({ isReference }) => isReference)).toEqual([]);
  });

  it('say how ours stands to them', () => {
    const { lines } = drawn(asked(selection, { published: OVERLAY }), sets as never, metric);
    expect(lines[2]?.points[0]?.note).toBe('published; ours 200k ops/s, 5× of it');
    expect(lines[3]?.points[0]?.note).toBe('published; ours 150k ops/s, 7.5× of it; read off a chart');
  });

  it('are divided by their own line, ours by ours', () => {
    const { lines, quantity, title } = drawn(
      asked(selection, { published: OVERLAY, base: 'memcached' }),
      sets as never,
      metric,
    );
    expect([quantity, title]).toEqual(['ratio', 'Throughput, ratio to memcached']);
    expect(lines.map(({ points }) => points.map(({ x, y }) => [x, y]))).toEqual([
      [
        [50, 1],
        [200, 1],
      ],
      [
        [50, 0.5],
        [200, 0.75],
      ],
      [
        [200, 1],
        [400, 1],
      ],
      [[200, 0.5]],
    ]);
    expect(lines[1]?.points[1]).toMatchObject({ low: 0.7125, high: 0.7875 });
    expect(lines[3]?.points[0]?.note).toContain('ours 0.75×, 1.5× of it');
    expect(valuesSentence(lines, quantity, selection)).toContain(
      'At 200 connections: memcached 1×, Redis 0.75×. Published: memcached 1.4.5 1×, Redis 2.4.2 0.5×.',
    );
  });

  it('stay divided when the line they are divided by is hidden', () => {
    const { lines } = drawn(
      asked(selection, { published: OVERLAY, base: 'memcached', hidden: new Set(['memcached']) }),
      sets as never,
      metric,
    );
    expect(lines.map(({ label }) => label)).toEqual(['Redis', 'memcached 1.4.5', 'Redis 2.4.2']);
    expect(lines[0]?.points[0]?.y).toBe(0.5);
  });

  it('that are ratios themselves stand where the same ratio is drawn, and only there', () => {
    const ratio = published({
      relative_to: { target: 'memcached' },
      unit: 'ratio',
      points: [{ x: null, value: 1.3, note: null }],
    });
    const study = { ...OVERLAY, series: [ratio] };
    const asRatio = drawn(asked(selection, { published: study, base: 'memcached' }), sets as never, metric);
    expect(asRatio.lines[2]?.points.map(({ x, y }) => [x, y])).toEqual([
      [50, 1.3],
      [200, 1.3],
    ]);
    expect(asRatio.lines[2]?.points[0]?.note).toContain('published without saying at which connections');
    for (const base of [null, 'Redis']) {
      const other = drawn(asked(selection, { published: study, base }), sets as never, metric);
      expect(other.lines[2]?.points).toEqual([]);
      expect(other.undivided).toEqual(['memcached 1.4.5 (a ratio to memcached)']);
    }
  });

  it('printed in a table for each place are one line', () => {
    const at = (connections: number, value: number) =>
      published({
        axis: 'value_size_bytes',
        match: { target: 'memcached', workload: 'set', connections },
        points: [{ x: 64, value, note: null }],
      });
    const study = { ...OVERLAY, series: [at(50, 30_000), at(200, 40_000)] };
    for (const [base, values] of [
      [null, [30_000, 40_000]],
      ['memcached', [1, 1]],
    ] as const) {
      const { lines, undivided } = drawn(asked(selection, { published: study, base }), sets as never, metric);
      const references = lines.filter(({ isReference }) => isReference);
      expect(references.map(({ points }) => points.map(({ y }) => y))).toEqual([values]);
      expect(undivided).toEqual([]);
    }
  });

  it('cannot be ratios where the line to divide by was not measured, which is said', () => {
    const alone = panelsOf([cell('Redis', 'get', 50, 1)], selection)[0];
    const look = (base: string | null) => drawn(asked(selection, { base }), alone as never, metric).lacksBase;
    expect([look('memcached'), look('Redis'), look(null)]).toEqual(['memcached', null, null]);
  });

  it('of a percentile are a part of the times', () => {
    const one = published({ metric: 'response_time_p50_ns', unit: 'ns' });
    expect(metricOfStudy({ ...OVERLAY, series: [one] })).toBe('times');
  });
});

describe('failed operations', () => {
  const broken = {
    ...operation(1000),
    count: 90,
    errors: 10,
    errors_by_class: { refused: 3, timed_out: 7 },
  };

  it('are counted by class', () => {
    expect(failedOf(broken)).toEqual({ share: 0.1, text: '10 failed (10 %): timed out 7, refused 3' });
    expect(failedOf(operation(5))).toBeUndefined();
  });

  it('are on the point and in the sentence', () => {
    const selection = select(run(), {});
    const points = [point({ target: 'Redis', connections: 4 }, broken)];
    const [panel] = panelsOf(points, selection);
    const { lines } = drawn(asked(selection), panel as never, throughputMetric(selection));
    expect(lines[1]?.points[0]?.failed?.share).toBe(0.1);
    expect(throughputSentence(lines, selection)).toContain(
      'Operations failed or were refused (hatched columns, as high as their share): Redis at 4 connections, 10 failed (10 %), timed out 7, refused 3.',
    );
  });

  it('of trials that gave no result leave a hatched mark', () => {
    const failed = point({ target: 'Redis', connections: 4 }, null, null);
    const trials = failed.trials.map((trial) => ({ ...trial, status: 'failed' as const }));
    const selection = select(run(), {});
    const [panel] = panelsOf([{ ...failed, trials }], selection);
    const { lines } = drawn(asked(selection), panel as never, throughputMetric(selection));
    expect(lines[1]?.points).toEqual([
      { x: 4, y: null, trust: 'void', trialsCounted: 0, note: '1 trial failed' },
    ]);
  });
});

describe('metrics', () => {
  it('are those that the points have', () => {
    const selection = select(run(), {});
    const measured = {
      ...point({ target: 'Redis', connections: 4 }, { ...operation(10), elapsed_s: 12 } as never),
      metrics: { memory_after_prefill_bytes: { mean: 5e6, low: 4e6, high: 6e6 } },
    };
    const metrics = metricsOf([measured], selection);
    expect(metrics.map(({ name }) => name)).toEqual([
      'throughput_per_s',
      'elapsed_s',
      'times',
      'error_share',
      'memory_after_prefill_bytes',
    ]);
    expect(metrics.at(-1)?.read(measured, '')).toEqual({ y: 5e6, low: 4e6, high: 6e6 });
    expect(metrics.at(-1)?.quantity).toBe('bytes');
  });
});

describe('a run that kills its stores', () => {
  const killed = {
    ...point({ target: 'Redis', connections: 4 }, operation(10)),
    metrics: { lost_share: { mean: 0.6, low: 0.5, high: 0.7 } },
  };

  it('is about the keys that were lost', () => {
    expect(metricOfKill(metricsOf([killed], select(run(), {})))).toBe('lost_share');
    expect(metricOfKill(metricsOf(POINTS, select(STUDY, {})))).toBeUndefined();
  });

  it('marks failed operations where operations are counted, not on what was lost', () => {
    const broken = { ...killed, total: { ...operation(10), count: 90, errors: 10 } };
    const selection = select(run(), {});
    const failedOn = (name: string) => {
      const metric = metricsOf([broken], selection).find((one) => one.name === name);
      const { lines } = drawn(asked(selection), panelsOf([broken], selection)[0] as never, metric as never);
      return lines[1]?.points[0]?.failed?.share;
    };
    expect([failedOn('throughput_per_s'), failedOn('lost_share')]).toEqual([0.1, undefined]);
  });

  it('has trials whose report is read', () => {
    expect(killedTrials([killed, ...POINTS])).toEqual(killed.trials.map(({ id }) => id));
  });
});
