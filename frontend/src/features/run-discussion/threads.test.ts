import { describe, expect, it } from 'vitest';
import type { Comment } from '@/api/comments';
import { threadsOf } from './threads';

function said(id: string, changes: Partial<Comment> = {}): Comment {
  return {
    id,
    subject_kind: 'run',
    subject_id: 'run-1',
    run_id: 'run-1',
    parent_id: null,
    text: id,
    created_by: null,
    created_at: '2026-01-01T00:00:00Z',
    edited_at: null,
    deleted_at: null,
    may_change: false,
    ...changes,
  };
}

describe('threads', () => {
  it('hang answers on their beginning, in order', () => {
    const found = threadsOf([
      said('a'),
      said('b'),
      said('a1', { parent_id: 'a' }),
      said('a2', { parent_id: 'a' }),
    ]);
    expect(found.map(({ first, answers }) => [first.id, ...answers.map(({ id }) => id)])).toEqual([
      ['a', 'a1', 'a2'],
      ['b'],
    ]);
  });

  it('of one point leave out the rest', () => {
    const point = said('p', { subject_kind: 'point', subject_id: 'point-1' });
    expect(threadsOf([said('a'), point], 'point-1').map(({ first }) => first.id)).toEqual(['p']);
  });

  it('keep a deleted beginning only where answers hang on it', () => {
    const gone = { text: null, deleted_at: '2026-01-02T00:00:00Z' };
    const found = threadsOf([said('a', gone), said('b', gone), said('b1', { parent_id: 'b' })]);
    expect(found.map(({ first }) => first.id)).toEqual(['b']);
  });
});
