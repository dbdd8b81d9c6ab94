import { describe, expect, it } from 'vitest';
import { operation, point } from '../../../tests/fixtures';
import { killSentence } from './kill-sentence';

function killed(target: string, lost: number, torn = 0) {
  const told = (mean: number) => ({ mean, low: mean, high: mean });
  return {
    ...point({ target }, operation(1)),
    metrics: { lost_share: told(lost), torn_share: told(torn) },
  };
}

describe('the sentence about a kill', () => {
  it('names what lost writes, the worst first, and counts the rest', () => {
    const points = [killed('AOF', 0), killed('RDB', 0.595), killed('none', 1), killed('durable', 0)];
    expect(killSentence(points)).toBe(
      'The kill cost none 100 % of its keys, RDB 59.5 % of its keys; 2 others lost nothing.',
    );
  });

  it('tells torn values, and that nothing was lost', () => {
    expect(killSentence([killed('x', 0.5, 0.01)])).toBe('The kill cost x 50 % of its keys and tore 1 %.');
    expect(killSentence([killed('x', 0)])).toBe('1 point killed: no acknowledged write was lost or torn.');
  });

  it('is none where nothing was killed', () => {
    expect(killSentence([point({ target: 'x' }, operation(1))])).toBeNull();
  });
});
