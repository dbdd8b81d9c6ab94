import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Plan, PlanDefinition } from '@/api/plans';
import { run } from '../../../tests/fixtures';
import {
  asSaved,
  axisFaults,
  BLANK_DEFINITION,
  definitionOfRun,
  draftOf,
  draftOfPlan,
  isSavedAs,
  NO_PLACEMENT,
  newAxis,
  suggestName,
  toDefinition,
} from './draft';
import { dropDraft, keepDraft, keptDraft } from './draft-storage';

describe('a draft', () => {
  it('becomes a plan with the axes as numbers and a name of its targets', () => {
    const draft = { ...draftOf(BLANK_DEFINITION), axes: [newAxis('connections', '4..16 x2')] };
    expect(toDefinition(draft, ['memcached', 'Redis'])).toMatchObject({
      name: 'memcached against Redis',
      axes: [{ parameter: 'connections', values: [4, 8, 16] }],
    });
    expect(suggestName([])).toBe('New plan');
    expect(suggestName(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  it('shows axes as short as they can be written', () => {
    const axes = [{ parameter: 'connections', values: [1, 2, 4, 8] }];
    expect(draftOf({ ...BLANK_DEFINITION, axes }).axes[0]?.text).toBe('1..8 x2');
  });

  it('names the axis that cannot be read, as the api would', () => {
    expect(axisFaults([newAxis('connections', '1'), newAxis('pipeline', 'x')])).toEqual([
      expect.objectContaining({ path: 'axes[1].values', code: 'unreadable_axis' }),
    ]);
  });

  it('of a run refers to saved targets, holds the others inline, and draws a new seed', () => {
    const { definition } = run();
    const [first] = definition.targets;
    if (!first) throw new Error('the fixture has targets');
    const cloned = definitionOfRun({
      ...definition,
      targets: [{ ...first, target_id: 'target-1' }, ...definition.targets.slice(1)],
    });
    expect(cloned.targets).toEqual([
      { target_id: 'target-1' },
      {
        kind: 'redis',
        profile: 'default',
        options: {},
        name: 'Redis',
        optional: false,
        placement: NO_PLACEMENT,
      },
    ]);
    expect(cloned.seed).toBeNull();
  });
});

describe('a plan that was saved', () => {
  const plan = { version: 2, definition: BLANK_DEFINITION } as Plan;

  it('counts as saved until something is changed, whatever the order of its keys', () => {
    const { savedText } = asSaved(draftOf(BLANK_DEFINITION), plan);
    const turned = Object.fromEntries(Object.entries(BLANK_DEFINITION).reverse()) as PlanDefinition;
    expect(isSavedAs(turned, savedText)).toBe(true);
    expect(isSavedAs({ ...BLANK_DEFINITION, trials_per_point: 9 }, savedText)).toBe(false);
    expect(isSavedAs(BLANK_DEFINITION, null)).toBe(false);
  });

  it('of an earlier version begins as a change of the newest', () => {
    const draft = draftOfPlan({ ...plan, version: 1 }, plan);
    expect(draft).toMatchObject({ planVersion: 2, savedText: null });
    expect(draftOfPlan(plan, plan).savedText).not.toBeNull();
  });
});

describe('what was typed', () => {
  const stored = new Map<string, string>();
  beforeEach(() => {
    stored.clear();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('outlives a reload, apart for each origin', () => {
    const draft = { ...draftOf(BLANK_DEFINITION), agentChoice: 'agent-1' };
    keepDraft({ recipe: 'a' }, draft);
    expect(keptDraft({ recipe: 'a' })).toMatchObject({
      agentChoice: 'agent-1',
      definition: BLANK_DEFINITION,
    });
    expect(keptDraft({})).toBeNull();
    dropDraft({ recipe: 'a' });
    expect(keptDraft({ recipe: 'a' })).toBeNull();
  });

  it('is left alone when it cannot be read', () => {
    stored.set('loadstone.draft:::', '{');
    expect(keptDraft({})).toBeNull();
  });
});
