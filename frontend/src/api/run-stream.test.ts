import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followRun, type RunListener } from './run-stream';

/** The browser's own reconnects are the browser's; this plays what it tells the page. */
class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  static opened: FakeEventSource[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
    FakeEventSource.opened.push(this);
  }
  close() {
    this.readyState = FakeEventSource.CLOSED;
  }
  tell(kind: string, seq: number, data: unknown) {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId: String(seq) }));
  }
  fail(readyState: number) {
    this.readyState = readyState;
    this.onerror?.();
  }
}

function listener() {
  return {
    onRun: vi.fn(),
    onTrial: vi.fn(),
    onSample: vi.fn(),
    onPoint: vi.fn(),
    onResumed: vi.fn(),
    onConnection: vi.fn(),
  } satisfies RunListener;
}

const newest = () => FakeEventSource.opened.at(-1) as FakeEventSource;

describe('the live stream', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('EventSource', FakeEventSource);
    FakeEventSource.opened = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('begins after the last event that is known', () => {
    followRun('run-1', 7, listener());
    expect(newest().url).toBe('/api/v1/runs/run-1/events?after=7');
  });

  it('tells each kind of event to its listener', () => {
    const heard = listener();
    followRun('run-1', 7, heard);
    newest().tell('sample', 8, { seq: 0 });
    newest().tell('point', 9, { id: 'p' });
    expect(heard.onSample).toHaveBeenCalledExactlyOnceWith({ seq: 0 });
    expect(heard.onPoint).toHaveBeenCalledExactlyOnceWith({ id: 'p' });
  });

  it('opens anew after the last event it heard where the browser gives up, and has the page read again', () => {
    const heard = listener();
    followRun('run-1', 7, heard);
    newest().onopen?.();
    newest().tell('sample', 12, { seq: 4 });
    newest().fail(FakeEventSource.CLOSED);
    expect(heard.onConnection).toHaveBeenLastCalledWith('away');
    vi.advanceTimersByTime(500);
    expect(FakeEventSource.opened).toHaveLength(2);
    expect(newest().url).toBe('/api/v1/runs/run-1/events?after=12');
    newest().onopen?.();
    expect(heard.onConnection).toHaveBeenLastCalledWith('open');
    expect(heard.onResumed).toHaveBeenCalled();
  });

  it('does not wait for the browser where that would try by itself', () => {
    followRun('run-1', 7, listener());
    const first = newest();
    first.onopen?.();
    first.fail(0);
    expect(first.readyState).toBe(FakeEventSource.CLOSED);
    vi.advanceTimersByTime(500);
    expect(FakeEventSource.opened).toHaveLength(2);
  });

  it('waits longer each time, up to five seconds', () => {
    followRun('run-1', 0, listener());
    for (const delay of [500, 1000, 2000, 4000, 5000, 5000]) {
      const before = FakeEventSource.opened.length;
      newest().fail(FakeEventSource.CLOSED);
      vi.advanceTimersByTime(delay - 1);
      expect(FakeEventSource.opened).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(FakeEventSource.opened).toHaveLength(before + 1);
    }
  });

  it('is silent once stopped', () => {
    const stop = followRun('run-1', 0, listener());
    newest().fail(FakeEventSource.CLOSED);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(FakeEventSource.opened).toHaveLength(1);
  });
});
