import { describe, expect, it } from 'vitest';
import { agentChoices, choiceOf, selectorOf, selectorWords } from './agent-selector';

const AGENTS: Parameters<typeof agentChoices>[0] = [
  { id: 'a1', name: 'bench-1', state: 'online', labels: { site: 'north' } },
  { id: 'a2', name: 'bench-2', state: 'never_seen', labels: { site: 'north', disk: 'a=b' } },
];

describe('which agents may take a run', () => {
  it.each([
    null,
    { agent_id: 'a1', labels: null },
    { agent_id: null, labels: { disk: 'a=b', site: 'north' } },
  ])('is one choice and back: %j', (selector) => {
    expect(selectorOf(choiceOf(selector))).toEqual(selector);
  });

  it('offers agents by name and by label, each label once', () => {
    const [byName, byLabel] = agentChoices(AGENTS, null);
    expect(byName?.items.map(({ label }) => label)).toEqual(['bench-1 (online)', 'bench-2 (never seen)']);
    expect(byLabel?.items.map(({ label }) => label)).toEqual(['Any with disk=a=b', 'Any with site=north']);
  });

  it('keeps what was chosen when it is gone', () => {
    expect(agentChoices(AGENTS, 'gone')[0]?.items).toContainEqual({
      value: 'gone',
      label: 'An agent that is gone',
    });
    expect(agentChoices([], 'label:x=y')[0]?.items).toEqual([{ value: 'label:x=y', label: 'Any with x=y' }]);
  });

  it('is said in words', () => {
    expect(selectorWords({}, AGENTS)).toBe('any');
    expect(selectorWords({ agent_id: 'a2' }, AGENTS)).toBe('bench-2');
    expect(selectorWords({ labels: { site: 'north' } }, AGENTS)).toBe('site=north');
  });
});
