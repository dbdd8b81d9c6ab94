/** One workload, or several under names: the axis `workload`. Pure. */
import type { PlanDefinition } from '@/api/plans';
import { BLANK_WORKLOAD } from './draft';

export type PlanWorkload = NonNullable<PlanDefinition['workload']>;
export type WorkloadEntry = NonNullable<PlanDefinition['workloads']>[number];
export type Workloads = Pick<PlanDefinition, 'workload' | 'workloads'>;

/** A single workload as an entry without a name of its own. */
export function entriesOf({ workload, workloads }: Workloads): WorkloadEntry[] {
  if (workloads && workloads.length > 0) return workloads;
  return [{ name: nameOf(workload ?? BLANK_WORKLOAD), workload: workload ?? BLANK_WORKLOAD }];
}

/** A list of one says nothing that the workload alone does not, unless it is bound to something. */
export function withEntries(entries: readonly WorkloadEntry[]): Workloads {
  const [only] = entries;
  if (only && entries.length === 1 && isPlain(only)) return { workload: only.workload, workloads: [] };
  return { workload: null, workloads: [...entries] };
}

function isPlain({ name: _name, workload: _workload, ...bound }: WorkloadEntry): boolean {
  return Object.values(bound).every(
    (value) => value === null || value === undefined || Object.keys(value).length === 0,
  );
}

/** "get and set": what its operations are. */
export function nameOf(workload: PlanWorkload): string {
  if ('workload_id' in workload) return 'saved';
  return workload.operations.map(({ kind }) => kind.replaceAll('_', ' ')).join(' and ');
}

/** A copy right after it, under a name that is free. */
export function duplicated(entries: readonly WorkloadEntry[], place: number): WorkloadEntry[] {
  const entry = entries[place];
  if (!entry) return [...entries];
  const copy = { ...structuredClone(entry), name: freeName(entries, entry.name) };
  return entries.toSpliced(place + 1, 0, copy);
}

function freeName(entries: readonly WorkloadEntry[], name: string): string {
  const stem = name.replace(/ \d+$/, '');
  const taken = new Set(entries.map((entry) => entry.name));
  for (let count = 2; ; count += 1) if (!taken.has(`${stem} ${count}`)) return `${stem} ${count}`;
}

/** Kept to some values of an axis; to none of them means to all. */
export function withOnly(
  only: WorkloadEntry['only'],
  parameter: string,
  values: number[],
): WorkloadEntry['only'] {
  const { [parameter]: _before, ...others } = only ?? {};
  return values.length === 0 ? others : { ...others, [parameter]: values };
}

/** What an entry sets by itself, beside its operations. */
export function ownSettings({ load, stop, prefill, only }: WorkloadEntry): string[] {
  return [
    ...(load ? ['a load'] : []),
    ...(stop ? ['an end'] : []),
    ...(prefill === null || prefill === undefined ? [] : [prefill ? 'a prefill' : 'no prefill']),
    ...(only && Object.keys(only).length > 0 ? [`some values of ${Object.keys(only).join(', ')} only`] : []),
  ];
}
