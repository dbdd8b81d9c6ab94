import { describe, expect, it } from 'vitest';
import { promisesOf } from './equivalence';

const KINDS = [
  {
    kind: 'redis',
    profiles: [
      { name: 'none', equivalence: 'nothing kept' },
      { name: 'rdb', equivalence: 'snapshots' },
    ],
  },
];

describe('what targets promise', () => {
  it('is that of their profile, with the options set beside it', () => {
    const targets = [
      { name: 'a', kind: 'redis', profile: 'rdb', options: { maxmemory: '1gb' } },
      { name: 'b', kind: 'redis', profile: 'none+big' },
      { name: 'c', kind: 'redis', profile: null },
      { name: 'd', kind: 'unheard', profile: 'none' },
    ];
    expect(promisesOf(targets, KINDS)).toEqual([
      { name: 'a', promises: 'snapshots', options: ['maxmemory 1gb'] },
      { name: 'b', promises: 'nothing kept', options: [] },
      { name: 'c', promises: null, options: [] },
      { name: 'd', promises: null, options: [] },
    ]);
  });
});
