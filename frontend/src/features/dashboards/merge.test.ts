import { describe, expect, it } from 'vitest';
import type { DashboardContent, Panel } from '@/api/dashboards';
import { mergeContents } from './merge';

function panel(id: string, markdown = id): Panel {
  return { id, title: id, view: { kind: 'text', markdown }, width: 1, height: 2 };
}

function board(panels: Panel[], extra: Partial<DashboardContent> = {}): DashboardContent {
  return { name: 'nightly', refresh_s: null, is_pinned: false, panels, ...extra };
}

const ids = (content: DashboardContent) => (content.panels ?? []).map(({ id }) => id);
const BASE = board([panel('a'), panel('b')]);

describe('two edits of one dashboard', () => {
  it('are both kept when they touch different things', () => {
    const mine = board([panel('a', 'mine'), panel('b'), panel('c')], { refresh_s: 30 });
    const theirs = board([panel('a'), panel('b', 'theirs'), panel('d')], { name: 'weekly' });
    const { content, contested } = mergeContents(BASE, mine, theirs);
    expect(contested).toEqual([]);
    expect(content).toMatchObject({ name: 'weekly', refresh_s: 30 });
    expect(ids(content).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(content.panels?.find(({ id }) => id === 'a')?.view).toMatchObject({ markdown: 'mine' });
    expect(content.panels?.find(({ id }) => id === 'b')?.view).toMatchObject({ markdown: 'theirs' });
  });

  it('name what both changed, and take mine there', () => {
    const { content, contested } = mergeContents(
      BASE,
      board([panel('a', 'mine'), panel('b')], { name: 'mine' }),
      board([panel('a', 'theirs'), panel('b')], { name: 'theirs' }),
    );
    expect(contested).toEqual(['“a”', 'the name']);
    expect(content.name).toBe('mine');
  });

  it('drop a panel that one removed and the other left as it was', () => {
    expect(ids(mergeContents(BASE, board([panel('a')]), BASE).content)).toEqual(['a']);
    expect(ids(mergeContents(BASE, BASE, board([panel('a')])).content)).toEqual(['a']);
  });

  it('keep a panel that one removed and the other changed, and say so', () => {
    const { content, contested } = mergeContents(
      BASE,
      board([panel('a')]),
      board([panel('a'), panel('b', 'new')]),
    );
    expect(ids(content)).toEqual(['a', 'b']);
    expect(contested).toEqual(['“b”']);
  });

  it('follow the side that moved panels', () => {
    const moved = board([panel('b'), panel('a')]);
    expect(ids(mergeContents(BASE, moved, BASE).content)).toEqual(['b', 'a']);
    expect(ids(mergeContents(BASE, BASE, moved).content)).toEqual(['b', 'a']);
  });

  it('the same change on both sides is no conflict', () => {
    const same = board([panel('a', 'x'), panel('b')]);
    expect(mergeContents(BASE, same, same).contested).toEqual([]);
  });
});
