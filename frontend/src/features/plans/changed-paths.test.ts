import { describe, expect, it } from 'vitest';
import { changedPaths } from './changed-paths';

describe('what a version changed', () => {
  it('names every value with its path', () => {
    const before = { trials: 3, axes: [{ parameter: 'connections', values: [1, 4] }], stop: { seconds: 5 } };
    const after = {
      trials: 5,
      axes: [{ parameter: 'connections', values: [1, 8] }],
      stop: null,
      verify: true,
    };
    expect(changedPaths(before, after)).toEqual([
      { path: 'trials', before: '3', after: '5' },
      { path: 'axes[0].values', before: '[1,4]', after: '[1,8]' },
      { path: 'stop', before: '{"seconds":5}', after: 'null' },
      { path: 'verify', before: 'nothing', after: 'true' },
    ]);
  });

  it('is nothing between equals', () => {
    expect(changedPaths({ a: [{ b: [] }] }, { a: [{ b: [] }] })).toEqual([]);
  });
});
