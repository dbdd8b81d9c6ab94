/** Which engines may be chosen, out of what the agents offer. Pure. */
import type { Agent } from '@/api/agents';
import type { PlanDefinition } from '@/api/plans';

export type PlanEngine = NonNullable<PlanDefinition['engines']>[number];

export interface EngineChoice {
  readonly name: string;
  readonly title: string;
  /** Why no agent can run it; null where one can. */
  readonly reason: string | null;
}

const NATIVE = 'native';
/** What the native engine calls itself where it is offered. */
const NATIVE_PROGRAM = 'loadstone-engine';

/** The native one first, then those offered, then those missing; what is chosen is always there. */
export function engineChoices(agents: readonly Agent[], chosen: readonly string[]): EngineChoice[] {
  const offers = agents.flatMap(({ engines }) => engines);
  const names = new Set([NATIVE, ...offers.map(({ name }) => planName(name)), ...chosen]);
  const choices = [...names].map((name): EngineChoice => {
    const found = offers.filter((offer) => planName(offer.name) === name);
    const isThere = name === NATIVE || found.some(({ available }) => available);
    const remedy = found.find(({ remedy: words }) => words)?.remedy ?? 'No agent offers it.';
    return { name, title: name === NATIVE ? 'native engine' : name, reason: isThere ? null : remedy };
  });
  return choices.sort((a, b) => Number(a.reason !== null) - Number(b.reason !== null));
}

function planName(offered: string): string {
  return offered === NATIVE_PROGRAM ? NATIVE : offered;
}
