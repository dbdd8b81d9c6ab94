import { expect, test } from 'vitest';
import { type Report, sentenceOf } from './DurabilityResult';

const KEPT: Report = {
  acknowledged: 12_345,
  keys: 1000,
  kept: 990,
  newer: 10,
  lost: 0,
  torn: 0,
  errors: 0,
  lost_window_ns: null,
  restart_s: 0.2,
};

test('a store that kept everything is said to have', () => {
  expect(sentenceOf(KEPT)).toBe(
    '12,345 writes to 1,000 keys were acknowledged before the kill; every key held its last one afterwards, or a later one.',
  );
});

test('what was lost is told with its share and its age', () => {
  const lost = { ...KEPT, kept: 740, lost: 250, lost_window_ns: 870_000_000 };
  expect(sentenceOf(lost)).toContain('250 keys (25 %) had lost theirs, 750 had not.');
  expect(sentenceOf(lost)).toContain('870 ms before the last');
});

test('torn values are named', () => {
  expect(sentenceOf({ ...KEPT, kept: 989, torn: 1 })).toContain('1 held what was never sent');
});
