import { describe, expect, it } from 'vitest';
import { tablesSearch, viewKey } from './table-views';

describe('how tables are shown, in the URL', () => {
  it('keeps what can be understood and drops the rest', () => {
    expect(tablesSearch({ tables: { runs: { sort: '-started', hide: ['who', 3] }, bad: 7 } })).toEqual({
      tables: { runs: { sort: '-started', hide: ['who'] } },
    });
    for (const tables of [undefined, 'x', [], null, {}]) expect(tablesSearch({ tables })).toEqual({});
  });

  it('names a table by its label', () => {
    expect(viewKey('Points of “x”, in order')).toBe('points-of-x-in-order');
  });
});
