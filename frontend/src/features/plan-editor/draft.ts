/** A plan while it is being written: the definition, with the axes as the text a person typed. */
import type { Plan, PlanDefinition, ResolvedPlan, WorkloadDefinition } from '@/api/plans';
import { formatAxisValues, parseAxisValues } from '@/lib/axis-values';
import type { PathMessage } from '@/lib/json-path';

export interface AxisDraft {
  readonly id: number;
  readonly parameter: string;
  readonly text: string;
}

export interface Draft {
  /** Its own `axes` are not used: `axes` beside it are. */
  readonly definition: PlanDefinition;
  readonly axes: readonly AxisDraft[];
  /** As `lib/agent-selector` writes it; null for any agent that can take it. */
  readonly agentChoice: string | null;
  /** Of the saved plan that this began as. */
  readonly planVersion: number | null;
  /** The definition as it was saved, as text. */
  readonly savedText: string | null;
}

export type PlanTarget = PlanDefinition['targets'][number];

export type Placement = NonNullable<Extract<PlanTarget, { kind: string }>['placement']>;

/** Wherever the agent has room. */
export const NO_PLACEMENT: Placement = {
  cpus: null,
  memory_limit_bytes: null,
  data_directory: null,
  drop_page_cache: false,
};

let lastAxisId = 0;

export function newAxis(parameter: string, text: string): AxisDraft {
  lastAxisId += 1;
  return { id: lastAxisId, parameter, text };
}

export const BLANK_OPERATION = {
  weight: 1,
  keys_per_request: 1,
  entries: 100,
  from_entry: 0,
  expire_s: 0,
} as const;

export const BLANK_WORKLOAD: WorkloadDefinition = {
  dataset: {
    key_count: 10_000,
    key_prefix: 'k',
    key_size_bytes: 16,
    value_size: { kind: 'fixed', bytes: 100 },
    list_length: 1,
    hit_ratio: 1,
    compressible_share: 0,
  },
  operations: [
    { ...BLANK_OPERATION, kind: 'get', weight: 9 },
    { ...BLANK_OPERATION, kind: 'set', weight: 1 },
  ],
  access: { kind: 'uniform' },
};

export const BLANK_DEFINITION: PlanDefinition = {
  name: '',
  targets: [],
  workload: BLANK_WORKLOAD,
  load: { kind: 'closed', connections: 16, pipeline: 1, think_time_us: 0, gather_replies: false },
  threads: 1,
  axes: [{ parameter: 'connections', values: [1, 4, 16, 64] }],
  trials_per_point: 3,
  order: 'interleaved',
  seed: null,
  rest_s: 0,
  reset: 'restart',
  prefill: true,
  warmup: { seconds: 1, operations: null },
  stop: { seconds: 5, operations: null },
  verify: false,
  timeout_ms: 5000,
};

export function draftOf(definition: PlanDefinition): Draft {
  return { ...formOf(definition), agentChoice: null, planVersion: null, savedText: null };
}

/** What the form shows of a plan. */
export function formOf(definition: PlanDefinition): Pick<Draft, 'definition' | 'axes'> {
  const axes = (definition.axes ?? []).map(({ parameter, values }) =>
    newAxis(parameter, formatAxisValues(values)),
  );
  return { definition: filledIn(definition), axes };
}

/** A plan that lists several workloads has no single one. */
export function filledIn(definition: PlanDefinition): PlanDefinition {
  const isList = (definition.workloads ?? []).length > 0;
  return { ...BLANK_DEFINITION, ...(isList && { workload: null }), ...definition };
}

/** The plan of a run as one that can be submitted again: snapshots become references or inline targets. */
export function definitionOfRun(resolved: ResolvedPlan): PlanDefinition {
  const targets = resolved.targets.map(
    ({ target_id, kind, profile, options, name, protocol, placement }): PlanTarget => {
      if (target_id) return { target_id };
      return { kind, profile: profile ?? '', options, name, protocol, placement, optional: false };
    },
  );
  // A new run draws its own seed; with the old one the same keys would go out in the same order.
  return { ...resolved, targets, seed: null };
}

/** The draft as one that was just read from, or written to, a saved plan. */
export function asSaved(draft: Draft, plan: Plan): Draft {
  return { ...draft, planVersion: plan.version, savedText: JSON.stringify(plan.definition) };
}

/** An earlier version begins as a change of the newest: saving it goes back to it. */
export function draftOfPlan(chosen: Plan, newest: Plan): Draft {
  const draft = asSaved(draftOf(chosen.definition), newest);
  return chosen.version === newest.version ? draft : { ...draft, savedText: null };
}

/** Key order differs between what was typed and what was answered. */
export function isSavedAs(definition: PlanDefinition, savedText: string | null): boolean {
  return savedText !== null && sameContent(definition, JSON.parse(savedText));
}

function sameContent(one: unknown, other: unknown): boolean {
  if (one === other || (one ?? null) === (other ?? null)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    sameContent(left[key], right[key]),
  );
}

export function toDefinition(draft: Draft, targetNames: readonly string[]): PlanDefinition {
  const typed = draft.definition.name.trim();
  return {
    ...draft.definition,
    name: typed === '' ? suggestName(targetNames) : typed,
    axes: draft.axes.map(({ parameter, text }) => ({ parameter, values: parseAxisValues(text).values })),
  };
}

export function suggestName(targetNames: readonly string[]): string {
  if (targetNames.length === 0) return 'New plan';
  if (targetNames.length > 4)
    return `${targetNames.slice(0, 3).join(', ')} and ${targetNames.length - 3} more`;
  return targetNames.join(' against ');
}

/** What cannot be read here, in the form the api uses for its refusals. */
export function axisFaults(axes: readonly AxisDraft[]): PathMessage[] {
  return axes.flatMap(({ text }, index) => {
    const { problem } = parseAxisValues(text);
    return problem === null
      ? []
      : [{ path: `axes[${index}].values`, code: 'unreadable_axis', message: problem }];
  });
}
