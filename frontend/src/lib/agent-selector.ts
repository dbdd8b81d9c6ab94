/** Which agents may take a run, as one choice: none (any of them), an agent's id, or `label:name=value`. */

interface AgentFacts {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface AgentSelector {
  readonly agent_id?: string | null;
  readonly labels?: Readonly<Record<string, string>> | null;
}

const LABEL = 'label:';

export function selectorOf(choice: string | null): {
  agent_id: string | null;
  labels: Record<string, string> | null;
} | null {
  if (choice === null) return null;
  if (!choice.startsWith(LABEL)) return { agent_id: choice, labels: null };
  const pairs = choice
    .slice(LABEL.length)
    .split('\n')
    .map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    });
  return { agent_id: null, labels: Object.fromEntries(pairs) };
}

export function choiceOf(selector: AgentSelector | null | undefined): string | null {
  if (selector?.agent_id) return selector.agent_id;
  const pairs = Object.entries(selector?.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length > 0 ? LABEL + pairs.sort().join('\n') : null;
}

/** Every agent by name, every label that one of them has, and what is chosen now even if nobody has it any more. */
export function agentChoices(agents: readonly AgentFacts[], chosen: string | null) {
  const labels = new Set(
    agents.flatMap((agent) =>
      Object.entries(agent.labels).map(([name, value]) => `${LABEL}${name}=${value}`),
    ),
  );
  const byName = agents.map(({ id, name, state }) => ({
    value: id,
    label: `${name} (${state.replace('_', ' ')})`,
  }));
  const known = new Set([...labels, ...byName.map(({ value }) => value)]);
  const gone = chosen !== null && !known.has(chosen);
  if (gone && chosen.startsWith(LABEL)) labels.add(chosen);
  if (gone && !chosen.startsWith(LABEL)) byName.push({ value: chosen, label: 'An agent that is gone' });
  return [
    { group: 'By name', items: byName },
    {
      group: 'By label',
      items: [...labels].sort().map((value) => ({ value, label: labelWords(value) })),
    },
  ].filter(({ items }) => items.length > 0);
}

function labelWords(choice: string): string {
  return `Any with ${choice.slice(LABEL.length).split('\n').join(' and ')}`;
}

/** "any", an agent's name, or its labels. */
export function selectorWords(selector: AgentSelector, agents: readonly AgentFacts[]): string {
  const choice = choiceOf(selector);
  if (choice === null) return 'any';
  if (choice.startsWith(LABEL)) return choice.slice(LABEL.length).split('\n').join(', ');
  return agents.find(({ id }) => id === choice)?.name ?? 'an agent that is gone';
}
