import { describe, expect, it } from 'vitest';
import type { CounterName, TelemetryItem, TelemetryMark, TelemetryNews } from '@/api/telemetry';
import { sample } from '../../../tests/fixtures';
import { addLiveTelemetry, mergeTelemetry } from './live-telemetry';
import { failedSeries } from './seconds-series';
import { deathsOf, marksOf } from './telemetry-marks';
import { defaultCounters, panelsOf, placeSeconds, seriesOf } from './telemetry-series';

const samples = [sample(0), sample(1), sample(2)];
const first = samples[0];
const start = Date.parse(first?.at ?? '') - (first?.duration_s ?? 0) * 1000;

function item(seq: number, at_s: number, changes: Partial<TelemetryItem> = {}): TelemetryItem {
  return {
    agent_id: 'agent-1',
    seq,
    phase: 'measure',
    at: new Date(start + at_s * 1000).toISOString(),
    elapsed_s: at_s,
    duration_s: 1,
    store: { gets_per_s: 100 + seq, evictions_per_s: 0, connections: 4 },
    store_memory_bytes: 1000,
    store_children_memory_bytes: 0,
    store_disk_bytes: null,
    store_cpu_cores: 0.5,
    host: { cpu_user_share: 0.5, cpu_steal_share: 0 },
    ...changes,
  };
}

const names: CounterName[] = [
  { name: 'gets_per_s', title: 'Gets', unit: 'per_s' },
  { name: 'evictions_per_s', title: 'Evictions', unit: 'per_s' },
  { name: 'connections', title: 'Connections', unit: 'count' },
];

function mark(seq: number, at_s: number, kind = 'save_began'): TelemetryMark {
  const at = new Date(start + at_s * 1000).toISOString();
  return { agent_id: 'agent-1', seq, kind, at, elapsed_s: at_s, title: 'x', detail: '', duration_s: null };
}

describe('the seconds of store and host', () => {
  it('stand where the seconds of the trial stand, so that one cursor runs through all charts', () => {
    const { xs } = placeSeconds([item(0, 1.04), item(1, 2.3), item(2, 7.5)], samples);
    expect(xs).toEqual([1, 2, 7.5]);
  });

  it('leave a whole second in its place when its phase ends a moment later', () => {
    const { xs, items } = placeSeconds([item(0, 1), item(1, 1.01, { duration_s: 0.01 })], samples);
    expect(xs).toEqual([1]);
    expect(items.map(({ seq }) => seq)).toEqual([0]);
  });

  it('are drawn as far as anything was read', () => {
    const items = [item(0, 1), item(1, 2)];
    const keys = panelsOf(items, names, ['gets_per_s', 'connections']).map(({ key }) => key);
    expect(keys).toEqual(['store:per_s', 'store:count', 'memory', 'cores', 'cpu']);
  });

  it('count what children hold on top, and leave a gap where that could not be read', () => {
    const items = [
      item(0, 1, { store_children_memory_bytes: 500 }),
      item(1, 2, { store_children_memory_bytes: null }),
    ];
    const memory = panelsOf(items, names, []).find(({ key }) => key === 'memory');
    const series = memory ? seriesOf(memory, items, [1, 2], []) : [];
    expect(series.map(({ points }) => points.map(({ x, y }) => [x, y]))).toEqual([
      [
        [1, 1000],
        [2, 1000],
      ],
      [[1, 1500]],
    ]);
  });

  it('of a store end where it was killed; those of its host go on', () => {
    const items = [item(0, 1), item(1, 3)];
    const deaths = deathsOf([mark(0, 1.5, 'store_killed'), mark(1, 2, 'checkpoint')], samples);
    const breaksOf = (name: string) =>
      panelsOf(items, names, [])
        .filter(({ key }) => key === name)
        .flatMap((panel) => seriesOf(panel, items, [1, 3], deaths))
        .map(({ breaks }) => breaks);
    expect(breaksOf('cores')).toEqual([[1.5]]);
    expect(breaksOf('cpu')).toEqual([undefined]);
  });

  it('do not draw lines that stay at zero beside one that does not', () => {
    const items = [item(0, 1), item(1, 2)];
    const cpu = panelsOf(items, names, []).find(({ key }) => key === 'cpu');
    expect(cpu && seriesOf(cpu, items, [1, 2], []).map(({ key }) => key)).toEqual(['user']);
  });

  it('show the rates that move until somebody chooses', () => {
    expect(defaultCounters([item(0, 1)], names)).toEqual(['gets_per_s']);
  });
});

describe('marks', () => {
  it('stand at their second, and say when they are bad', () => {
    const [save, eviction] = marksOf([mark(0, 1.5), mark(1, 2, 'eviction_began')], samples);
    expect(save).toMatchObject({ x: 1.5, tone: undefined });
    expect(eviction).toMatchObject({ x: 2, tone: 'bad' });
  });

  it('last from a beginning to its own end', () => {
    const events = [
      mark(0, 0.5, 'log_rewrite_ended'),
      mark(1, 1, 'save_began'),
      mark(2, 1.5, 'log_rewrite_began'),
      mark(3, 3, 'save_ended'),
      mark(4, 4, 'save_began'),
    ];
    const drawn = marksOf(events, samples).map(({ x, until }) => [x, until]);
    expect(drawn).toEqual([
      [0.5, undefined],
      [1, 3],
      [1.5, undefined],
      [4, undefined],
    ]);
  });
});

describe('live telemetry', () => {
  const news = (seq: number, attempt = 1, trial_id = 'trial-1'): TelemetryNews => ({
    trial_id,
    point_id: 'point-1',
    attempt,
    items: [item(seq, seq + 1)],
    events: [mark(seq, seq + 1)],
    names,
  });

  it('holds every record once, in order, and begins anew with a later attempt', () => {
    const live = addLiveTelemetry(undefined, [news(1), news(0), news(1)]);
    expect(live?.items.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(live?.events).toHaveLength(2);
    expect(addLiveTelemetry(live, [news(0, 2)])?.items).toHaveLength(1);
    expect(addLiveTelemetry(addLiveTelemetry(live, [news(0, 2)]), [news(5, 1)])?.items).toHaveLength(1);
  });

  it('overlaps with what was read without a second time', () => {
    const merged = mergeTelemetry(news(0), { ...news(0), items: [item(0, 1), item(1, 2)] });
    expect(merged.items).toHaveLength(2);
    expect(merged.names).toHaveLength(3);
  });
});

describe('failed operations', () => {
  it('are a line per second beside the throughput', () => {
    const failing = sample(1);
    const operations = failing.operations.map((one) => ({ ...one, errors: 7 }));
    const { points } = failedSeries([sample(0), { ...failing, operations }], 1, 'failed');
    expect(points.map(({ y }) => y)).toEqual([0, 14]);
  });
});
