/** How many connections there are over time, as a person types it: "4 for 10, 16 for 10". Pure. */
export interface ConnectionStep {
  readonly connections: number;
  readonly seconds: number;
}

export interface ReadSteps {
  /** Null when it cannot be read. */
  readonly steps: ConnectionStep[] | null;
  readonly problem?: string;
}

const STEP = /^(\d+)\s*(?:for|x|:)\s*(\d+(?:\.\d+)?)\s*s?$/i;

export function readSteps(text: string): ReadSteps {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const steps: ConnectionStep[] = [];
  for (const part of parts) {
    const [, connections, seconds] = STEP.exec(part) ?? [];
    if (connections === undefined || seconds === undefined) {
      return { steps: null, problem: `“${part}” is no step: write “16 for 10”.` };
    }
    steps.push({ connections: Number(connections), seconds: Number(seconds) });
  }
  return { steps };
}

export function formatSteps(steps: readonly ConnectionStep[]): string {
  return steps.map(({ connections, seconds }) => `${connections} for ${seconds}`).join(', ');
}
