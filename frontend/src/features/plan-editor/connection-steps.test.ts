import { describe, expect, it } from 'vitest';
import { formatSteps, readSteps } from './connection-steps';

describe('connections over time', () => {
  it('are read as they are written', () => {
    const { steps } = readSteps('4 for 10, 16 for 2.5 s,');
    expect(steps).toEqual([
      { connections: 4, seconds: 10 },
      { connections: 16, seconds: 2.5 },
    ]);
    expect(formatSteps(steps ?? [])).toBe('4 for 10, 16 for 2.5');
    expect(readSteps('')).toEqual({ steps: [] });
  });

  it('say what cannot be read', () => {
    expect(readSteps('4 for 10, many')).toEqual({
      steps: null,
      problem: '“many” is no step: write “16 for 10”.',
    });
  });
});
