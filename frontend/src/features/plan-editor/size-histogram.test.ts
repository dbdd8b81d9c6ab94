import { describe, expect, it } from 'vitest';
import { extentOf, readHistogram } from './size-histogram';

describe('a file of sizes', () => {
  it('is read with and without a head, as ranges and as single sizes', () => {
    expect(readHistogram('min_bytes,max_bytes,weight\n1,10,2\r\n11,20,0.5\n\n')).toEqual({
      buckets: [
        { min_bytes: 1, max_bytes: 10, weight: 2 },
        { min_bytes: 11, max_bytes: 20, weight: 0.5 },
      ],
    });
    expect(readHistogram('100,7')).toEqual({ buckets: [{ min_bytes: 100, max_bytes: 100, weight: 7 }] });
  });

  it.each(['', 'x,y,z\n', '1,10,2\n5', '10,1,1', '0,1,1', '1,2,0', '1,2,3,4', '1.5,2,1', '1,,2'])(
    'says which line of %j it cannot read',
    (text) => expect(readHistogram(text)).toHaveProperty('problem'),
  );

  it('tells how large its values are', () => {
    const buckets = [
      { min_bytes: 10, max_bytes: 30, weight: 3 },
      { min_bytes: 100, max_bytes: 100, weight: 1 },
    ];
    expect(extentOf({ kind: 'histogram', buckets })).toEqual({ min: 10, max: 100, mean: 40 });
  });
});
