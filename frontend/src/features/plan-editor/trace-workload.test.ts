import { describe, expect, it } from 'vitest';
import type { Trace } from '@/api/traces';
import { BLANK_DEFINITION, BLANK_WORKLOAD } from './draft';
import { replaysTrace, traceSentence, withTrace } from './trace-workload';

const TRACE: Trace = {
  id: 't',
  name: 'monday.csv',
  digest: 'a'.repeat(64),
  size_bytes: 100,
  line_count: 1000,
  key_count: 80,
  duration_s: 90,
  largest_value_bytes: 100,
  operations: { get: 900, delete: 100 },
  created_at: '2026-11-21T12:00:00Z',
};

describe('a workload that replays a trace', () => {
  it('has the operations of the trace and no other choice of keys', () => {
    const before = { ...BLANK_WORKLOAD, access: { kind: 'zipf', exponent: 1 } as const };
    const workload = withTrace({ ...before, dataset: { ...before.dataset, hit_ratio: 0.5 } }, TRACE);
    expect(workload.operations.map(({ kind, weight }) => [kind, weight])).toEqual([
      ['get', 900],
      ['delete', 100],
    ]);
    expect(workload).toMatchObject({
      access: { kind: 'uniform' },
      dataset: { hit_ratio: 1 },
      trace: { digest: TRACE.digest },
    });
  });

  it('lets arrivals come as recorded', () => {
    expect(replaysTrace(BLANK_DEFINITION)).toBe(false);
    expect(replaysTrace({ ...BLANK_DEFINITION, workload: withTrace(BLANK_WORKLOAD, TRACE) })).toBe(true);
  });

  it('is told in a sentence', () => {
    expect(traceSentence(TRACE)).toBe('1,000 lines over 1 min 30 s, 80 keys; get 90 %, delete 10 %');
  });
});
