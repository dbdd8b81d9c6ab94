import { describe, expect, it } from 'vitest';
import type { Agent } from '@/api/agents';
import { engineChoices } from './engines';

const AGENT = {
  engines: [
    { name: 'loadstone-engine', version: '1', available: true },
    { name: 'ycsb', version: '', available: false, remedy: 'apt-get install ycsb' },
    { name: 'redis-benchmark', version: '7', available: true },
  ],
} as unknown as Agent;

describe('engines', () => {
  it('are the native one, those that an agent has, and those that none has with the reason', () => {
    expect(engineChoices([AGENT], ['native'])).toEqual([
      { name: 'native', title: 'native engine', reason: null },
      { name: 'redis-benchmark', title: 'redis-benchmark', reason: null },
      { name: 'ycsb', title: 'ycsb', reason: 'apt-get install ycsb' },
    ]);
  });

  it('that a plan names stay in it though no agent has them', () => {
    expect(engineChoices([], ['memtier'])).toContainEqual({
      name: 'memtier',
      title: 'memtier',
      reason: 'No agent offers it.',
    });
  });
});
