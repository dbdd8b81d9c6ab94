import { describe, expect, it } from 'vitest';
import { sample, secondOf } from '../../../tests/fixtures';
import { addLiveSeconds, type LiveSeconds, mergeSeconds } from './live-seconds';
import { phaseSpans, secondsLimit, shownOperation, throughputSeries, timeSeries } from './seconds-series';

function event(seq: number, attempt = 1, trial_id = 'trial-1') {
  return { ...sample(seq), trial_id, point_id: 'point-1', attempt };
}

const seqs = (live: LiveSeconds | undefined) => live?.items.map(({ seq }) => seq);

describe('the live seconds', () => {
  it('hold every second once, in order, however often and in whatever order it comes', () => {
    const live = addLiveSeconds(undefined, [event(2), event(0), event(1), event(2)]);
    expect(seqs(live)).toEqual([0, 1, 2]);
    expect(mergeSeconds([sample(0), sample(1)], [sample(1), sample(2)]).map(({ seq }) => seq)).toEqual([
      0, 1, 2,
    ]);
  });

  it('begin anew with another trial or a later attempt', () => {
    const live = addLiveSeconds(undefined, [event(0), event(1)]);
    expect(seqs(addLiveSeconds(live, [event(0, 1, 'trial-2')]))).toEqual([0]);
    expect(addLiveSeconds(live, [event(0, 2)])).toMatchObject({ attempt: 2, items: [{ seq: 0 }] });
  });

  it('take nothing from a stale attempt', () => {
    const live = addLiveSeconds(undefined, [event(0, 2)]);
    expect(addLiveSeconds(live, [event(5, 1)])).toEqual(live);
  });
});

describe('the lines of a trial', () => {
  const prefill = sample(0, { phase: 'prefill', operations: [secondOf('set', 50_000)] });
  const samples = [prefill, sample(1), sample(2)];

  it('have no rate for a moment at the end of a phase: it would set the scale', () => {
    const moment = sample(1, { duration_s: 0.02, operations: [secondOf('set', 900_000)] });
    expect(throughputSeries([sample(0), moment], 0, 'all').points.map(({ y }) => y === null)).toEqual([
      false,
      true,
    ]);
  });

  it('have one all the same where the whole trial was over in a moment', () => {
    const moment = sample(0, { duration_s: 0.15, operations: [secondOf('get', 900)] });
    const long = sample(0, { phase: 'prefill', operations: [secondOf('set', 5000)] });
    expect(throughputSeries([moment], 0, 'all').points.map(({ y }) => y)).toEqual([900]);
    expect(throughputSeries([long, moment], 0, 'all').points.at(-1)?.y).toBe(900);
  });

  it('add up the operations and break between phases', () => {
    const { points } = throughputSeries(samples, 0, 'all');
    expect(points.map(({ x, y }) => [x, y])).toEqual([
      [1, 50_000],
      [1.5, null],
      [2, 1000],
      [3, 1000],
    ]);
  });

  it('show the operation that is measured most, not what was prefilled', () => {
    expect(shownOperation(samples, undefined)).toBe('get');
    expect(shownOperation(samples, 'set')).toBe('set');
    expect(shownOperation(samples, 'multi_get')).toBe('get');
    expect(shownOperation([], undefined)).toBeNull();
  });

  it('have a gap where the operation was not sent', () => {
    const [p99] = timeSeries(samples, 0, 'get', 'response_time_ns');
    expect(p99?.points.map(({ y }) => y)).toEqual([null, null, 400_000, 400_000]);
  });

  it('know from where to where each phase went', () => {
    expect(phaseSpans(samples)).toEqual([
      { from: 0, to: 1, label: 'prefill' },
      { from: 1, to: 3, label: 'measure' },
    ]);
  });

  it('step by ten seconds', () => {
    expect(secondsLimit([])).toBe(10);
    expect(secondsLimit([sample(0), sample(11)])).toBe(20);
  });
});
