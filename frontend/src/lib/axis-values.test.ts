import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAxisValues, parseAxisValues } from './axis-values';

describe('the text of an axis', () => {
  it.each([
    ['4 8 16', [4, 8, 16]],
    ['4, 8; 16', [4, 8, 16]],
    ['4..256 x2', [4, 8, 16, 32, 64, 128, 256]],
    ['4..256x2', [4, 8, 16, 32, 64, 128, 256]],
    ['4..256 *4', [4, 16, 64, 256]],
    ['1..10 +3', [1, 4, 7, 10]],
    ['1..3', [1, 2, 3]],
    ['1 2 8..64 x2 100', [1, 2, 8, 16, 32, 64, 100]],
    ['10k 1M', [10_000, 1_000_000]],
    ['0..0.3 +0.1', [0, 0.1, 0.2, 0.3]],
    ['0.5 0.99', [0.5, 0.99]],
    ['', []],
  ])('reads %j', (text, values) => {
    expect(parseAxisValues(text)).toEqual({ values, problem: null });
  });

  it.each([
    ['4 eight', /“eight” is not a number/],
    ['16..4 x2', /runs upwards/],
    ['4..16 x1', /above 1/],
    ['0..16 x2', /start above 0/],
    ['1..10 +0', /step must be above 0/],
    ['1..1000000', /more than 1000 values/],
    ['4 8 4', /4 stands there twice/],
    ['4..', /is not a number or a range/],
  ])('says what is wrong with %j', (text, problem) => {
    expect(parseAxisValues(text).problem).toMatch(problem);
  });

  it('writes a range where one rule makes all values', () => {
    expect(formatAxisValues([4, 8, 16, 32])).toBe('4..32 x2');
    expect(formatAxisValues([1, 2, 3, 4, 5])).toBe('1..5 +1');
    expect(formatAxisValues([1, 4, 5, 60])).toBe('1 4 5 60');
  });

  it('gives back the same values from what it wrote', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 20 }),
        (values) => {
          expect(parseAxisValues(formatAxisValues(values))).toEqual({ values, problem: null });
        },
      ),
    );
  });

  it('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseAxisValues(text);
      }),
    );
  });
});
