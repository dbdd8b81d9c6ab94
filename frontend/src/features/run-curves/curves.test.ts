import { describe, expect, it } from 'vitest';
import { sideways, stretchesOf } from '@/components/charts/model';
import { operation, point, run } from '../../../tests/fixtures';
import { throughputMetric, timesMetric } from './metrics';
import { normalised } from './normalise';
import { trustOf } from './PointsTable';
import { panelsOf, type Selection, select } from './selection';
import { parametricSentence, throughputSentence, valuesSentence, zeroSentence } from './sentences';
import { curveLines, kneeOf, latencyOverThroughput, oneTrialAnEngine, shownLines } from './shape';

type Points = Parameters<typeof curveLines>[0];
const throughputSeries = (points: Points, selection: Selection) =>
  curveLines(points, selection, throughputMetric(selection));
const timeSeries = (points: Points, selection: Selection) =>
  curveLines(points, selection, timesMetric(selection));

const RUN = run();
const POINTS = [
  point({ target: 'memcached', connections: 16 }, operation(300_000, 60_000)),
  point({ target: 'memcached', connections: 1 }, operation(20_000, 40_000)),
  point({ target: 'Redis', connections: 1 }, operation(15_000, 50_000)),
  point({ target: 'Redis', connections: 4 }, null, 'void'),
  point({ target: 'Redis', connections: 16 }, operation(150_000, 90_000)),
];

describe('what is shown', () => {
  it('is chosen by the run where the URL says nothing', () => {
    expect(select(RUN, {})).toMatchObject({
      axis: { parameter: 'connections' },
      operation: 'all',
      clock: 'response_time_ns',
      percentiles: ['p99'],
      lines: ['memcached', 'Redis'],
      isLogX: true,
      isClosedLoop: true,
    });
  });

  it('has no log axis where a value is zero', () => {
    const shares = run({ axes: [{ parameter: 'get_share', values: [0, 0.5, 1] }] });
    expect(select(shares, { logx: true }).isLogX).toBe(false);
  });

  it('of a plan in which only targets vary is a dot over each of their names', () => {
    const bare = run({ axes: [{ parameter: 'target', values: ['memcached', 'Redis'] }] });
    const points = ['memcached', 'Redis'].map((target) => point({ target }, operation(5)));
    const selection = select(bare, {});
    const series = throughputSeries(points, selection);
    expect(series.map((line) => line.points.map(({ x }) => x))).toEqual([[0], [1]]);
    expect(sideways(series).size).toBe(0);
    expect(valuesSentence(series, 'rate', selection)).toBe('memcached 5 ops/s, Redis 5 ops/s. Closed loop.');
    expect(throughputSentence(series, selection)).toMatch(/^memcached reaches 5 ops\/s; Redis reaches/);
    expect(normalised(series, 'Redis', selection.isApart).map((line) => line.points[0]?.y)).toEqual([1, 1]);
  });

  it('of a plan without axes may stand at the connections of its load', () => {
    const bare = run({ axes: [{ parameter: 'target', values: ['memcached', 'Redis'] }] });
    const points = [point({ target: 'memcached' }, operation(5))];
    const [series] = throughputSeries(points, select(bare, { axis: 'connections' }));
    expect(series?.points[0]?.x).toBe(16);
  });

  it('fixes further axes, or spreads one over panels', () => {
    const two = run({
      axes: [...RUN.axes, { parameter: 'pipeline', values: [1, 8] }],
    });
    const points = [1, 8].map((pipeline) =>
      point({ target: 'Redis', connections: 1, pipeline }, operation(pipeline)),
    );
    expect(panelsOf(points, select(two, {})).map((panel) => panel.points.length)).toEqual([1]);
    expect(panelsOf(points, select(two, { at: { pipeline: 8 } }))[0]?.points).toEqual([points[1]]);
    const panels = panelsOf(points, select(two, { split: ['pipeline'] }));
    expect(panels.map(({ bound }) => bound[0]?.value)).toEqual([1, 8]);
  });
});

describe('curves', () => {
  const selection = select(RUN, {});

  it('have one line a target, points in order of the axis, bands over trials', () => {
    const [memcached, redis] = throughputSeries(POINTS, selection);
    expect(memcached?.points.map(({ x, y }) => [x, y])).toEqual([
      [1, 20_000],
      [16, 300_000],
    ]);
    expect(memcached?.points[0]).toMatchObject({
      low: 19_000,
      high: 21_000,
      trialsCounted: 3,
      trust: 'pass',
    });
    expect(redis?.points[1]).toMatchObject({ x: 4, y: null, trust: 'void', note: '1 trial void' });
  });

  it('break where their own place has no value, and not where others have more places', () => {
    const [memcached, redis] = throughputSeries(POINTS, selection);
    const reach = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(memcached && stretchesOf(memcached, false)).toEqual([reach]);
    expect(redis && stretchesOf(redis, false)).toEqual([
      [reach[0], 4],
      [4, reach[1]],
    ]);
    const zero = throughputSeries(
      [1, 4, 16].map((connections) => point({ target: 'Redis', connections }, operation(connections % 4))),
      selection,
    )[1];
    expect(zero && stretchesOf(zero, true)).toEqual([[reach[0], 4]]);
    const waiting = { ...point({ target: 'Redis', connections: 4 }, null), trials: [] };
    const [, live] = throughputSeries([...POINTS.filter(({ total }) => total), waiting], selection);
    expect(live && stretchesOf(live, false)).toHaveLength(2);
  });

  it('tint further percentiles of one target', () => {
    const lines = timeSeries(POINTS, select(RUN, { pct: ['p50', 'p99'] }));
    expect(lines.map(({ label, lookIndex, tint }) => [label, lookIndex, tint])).toEqual([
      ['memcached p99', 0, 0],
      ['Redis p99', 1, 0],
      ['memcached p50', 0, 0.5],
      ['Redis p50', 1, 0.5],
    ]);
  });

  it('read the clock and the operation that were chosen', () => {
    const [line] = timeSeries(POINTS, select(RUN, { op: 'get', time: 'service', pct: ['p50'] }));
    expect(line?.points[0]?.y).toBe(20_000);
    expect(timeSeries(POINTS, select(RUN, { op: 'set' }))[0]?.points).toEqual([]);
  });

  it('over throughput keep the order of the axis', () => {
    const [memcached] = latencyOverThroughput(POINTS, selection, null);
    expect(memcached?.points.map(({ x, label }) => [x, label])).toEqual([
      [20_000, '1 connection'],
      [300_000, '16 connections'],
    ]);
    expect(latencyOverThroughput(POINTS, selection, [2, 20])[0]?.points).toHaveLength(1);
  });

  it('have their knee where throughput per time is greatest, unless that is an end', () => {
    const curve = (pairs: [number, number][]) => pairs.map(([x, y]) => ({ x, y }));
    expect(
      kneeOf(
        curve([
          [100, 10],
          [400, 12],
          [500, 40],
          [510, 300],
        ]),
      ),
    ).toBe(1);
    expect(
      kneeOf(
        curve([
          [100, 10],
          [110, 20],
          [120, 40],
        ]),
      ),
    ).toBeNull();
    expect(
      kneeOf(
        curve([
          [100, 10],
          [200, 11],
          [400, 12],
        ]),
      ),
    ).toBeNull();
    expect(
      kneeOf(
        curve([
          [100, 10],
          [400, 12],
        ]),
      ),
    ).toBeNull();
    const points = [
      point({ target: 'Redis', connections: 1 }, operation(100, 10)),
      point({ target: 'Redis', connections: 4 }, operation(500, 11)),
      point({ target: 'Redis', connections: 16 }, operation(550, 90)),
    ];
    const [redis] = latencyOverThroughput(points, selection, null).filter(({ label }) => label === 'Redis');
    expect(redis?.points.map(({ mark }) => mark)).toEqual([undefined, 'knee', undefined]);
    expect(parametricSentence(redis ? [redis] : [], 'duration')).toContain(
      'knee (most throughput per time) at 4 connections',
    );
  });

  it('go when their target is hidden', () => {
    const shown = shownLines(throughputSeries(POINTS, selection), new Set(['Redis']));
    expect(shown.map(({ label }) => label)).toEqual(['memcached']);
  });
});

describe('the sentence under a chart', () => {
  const selection = select(RUN, {});

  it('names the highest of every line, the loop, and what is void', () => {
    expect(throughputSentence(throughputSeries(POINTS, selection), selection)).toBe(
      'memcached reaches 300k ops/s at 16 connections; Redis reaches 150k ops/s at 16 connections, ' +
        '2.00 times between the highest and the lowest. Closed loop. 1 point without a result, hatched, not on any line.',
    );
  });

  it('compares times where every line has a value', () => {
    expect(valuesSentence(timeSeries(POINTS, selection), 'duration', selection)).toMatch(
      /^At 16 connections: memcached 240 µs, Redis 360 µs\./,
    );
  });

  it('says so when there is nothing', () => {
    expect(throughputSentence(throughputSeries([], selection), selection)).toBe(
      'No point here has this figure yet.',
    );
    expect(throughputSentence(throughputSeries([POINTS[3] as never], selection), selection)).toBe(
      '1 point, hatched, of which no trial counts.',
    );
    expect(parametricSentence([], 'duration')).toBe('No point here has both figures yet.');
  });

  it('names the zeros that a log axis leaves out', () => {
    const zero = throughputSeries([point({ target: 'Redis', connections: 4 }, operation(0))], selection);
    expect(zeroSentence(zero, true, selection)).toBe(
      'Zero has no place on a log axis and is left out: Redis at 4 connections.',
    );
    expect(zeroSentence(zero, false, selection)).toBeNull();
  });
});

describe('the trust of a point', () => {
  it('is the worst of its trials, pending before one has ended, none when nothing came of it', () => {
    expect(POINTS.map(trustOf)).toEqual(['pass', 'pass', 'pass', 'void', 'pass']);
    expect(trustOf(point({}, operation(1), 'warn'))).toBe('warn');
    const ended = point({}, null, null);
    expect(trustOf(ended)).toBe('none');
    const waiting = ended.trials.map((trial) => ({ ...trial, status: 'queued' as const }));
    expect(trustOf({ ...ended, trials: waiting })).toBe('pending');
  });
});

describe('what an engine cannot measure', () => {
  it('is asked of one ended trial of each engine', () => {
    const points = ['native', 'memslap', 'native'].map((engine) => point({ engine }, operation(1)));
    const waiting = { ...point({ engine: 'pgbench' }, null), trials: [] };
    expect(oneTrialAnEngine([...points, waiting])).toEqual([
      'trial of {"engine":"native"}',
      'trial of {"engine":"memslap"}',
    ]);
    expect(oneTrialAnEngine([point({ target: 'Redis' }, operation(1))])).toHaveLength(1);
  });
});
