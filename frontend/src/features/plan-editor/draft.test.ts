import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../../tests/fixtures';
import {
  axisFaults,
  BLANK_DEFINITION,
  definitionOfRun,
  draftOf,
  newAxis,
  readPlanText,
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
      { kind: 'redis', profile: 'default', options: {}, name: 'Redis' },
    ]);
    expect(cloned.seed).toBeNull();
  });
});

describe('the plan as JSON', () => {
  it('is read back as it was written', () => {
    expect(readPlanText(JSON.stringify(BLANK_DEFINITION))).toEqual(BLANK_DEFINITION);
  });

  it.each(['{', '[]', '{"targets": 1}', '{"targets": [], "axes": {}}', 'null'])(
    'says why %j is none',
    (text) => {
      expect(typeof readPlanText(text)).toBe('string');
    },
  );
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
    const draft = { ...draftOf(BLANK_DEFINITION), agentId: 'agent-1' };
    keepDraft({ recipe: 'a' }, draft);
    expect(keptDraft({ recipe: 'a' })).toMatchObject({ agentId: 'agent-1', definition: BLANK_DEFINITION });
    expect(keptDraft({})).toBeNull();
    dropDraft({ recipe: 'a' });
    expect(keptDraft({ recipe: 'a' })).toBeNull();
  });

  it('is left alone when it cannot be read', () => {
    stored.set('loadstone.draft:::', '{');
    expect(keptDraft({})).toBeNull();
  });
});
