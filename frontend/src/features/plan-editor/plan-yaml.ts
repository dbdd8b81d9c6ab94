/** The plan as YAML text, both ways. JSON is YAML too, so either can be pasted. */
import { type Document, LineCounter, parseDocument, stringify } from 'yaml';
import type { PlanDefinition } from '@/api/plans';
import type { PathMessage } from '@/lib/json-path';
import { filledIn } from './draft';

/** More than any plan that can run; beyond it the page would only freeze. */
export const MOST_CHARACTERS = 1_000_000;

export interface TextFault {
  /** Counted from 1; null where no line can be named. */
  readonly line: number | null;
  readonly message: string;
}

export interface ReadPlan {
  /** Null when the text cannot be a plan. */
  readonly definition: PlanDefinition | null;
  readonly faults: readonly TextFault[];
  /** The line of a path such as `axes[0].values`, or of the nearest part above it. */
  readonly lineOf: (path: string) => number | null;
}

export function writePlan(definition: PlanDefinition): string {
  return stringify(definition, { lineWidth: 100, flowCollectionPadding: false });
}

export function readPlan(text: string): ReadPlan {
  if (text.length > MOST_CHARACTERS) {
    return refused('This is too long for a plan: the text has to stay under a million characters.');
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (path: string) => lineOfPath(document, lines, path);
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, message }) => ({
      line: lines.linePos(pos[0]).line,
      message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    }));
    return { definition: null, faults, lineOf };
  }
  try {
    const fault = shapeFault(document.toJS());
    if (fault)
      return { definition: null, faults: [{ line: lineOf(fault.path), message: fault.message }], lineOf };
    return {
      definition: filledIn(document.toJS() as PlanDefinition),
      faults: [],
      lineOf,
    };
  } catch (error) {
    // An alias that unfolds into more than memory holds.
    return refused(error instanceof Error ? error.message : 'This cannot be read.');
  }
}

function refused(message: string): ReadPlan {
  return { definition: null, faults: [{ line: null, message }], lineOf: () => null };
}

/** Only what the form could not show at all; everything else is the api's to judge. */
function shapeFault(plan: unknown): { path: string; message: string } | null {
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) {
    return { path: '', message: 'A plan has names and values, such as “trials_per_point: 3”.' };
  }
  const { name, targets, axes, workload, workloads, load } = plan as Record<string, unknown>;
  if (typeof (name ?? '') !== 'string') return { path: 'name', message: '“name” must be a text: quote it.' };
  if (!isListOfObjects(targets)) return { path: 'targets', message: '“targets” must be a list of targets.' };
  if (!isListOfObjects(axes ?? [])) return { path: 'axes', message: '“axes” must be a list.' };
  const odd = ((axes ?? []) as { values?: unknown }[]).findIndex(({ values }) => !Array.isArray(values));
  if (odd >= 0) return { path: `axes[${odd}]`, message: 'An axis needs a list of “values”.' };
  const several = workloads ?? [];
  if (!isListOfObjects(several)) return { path: 'workloads', message: '“workloads” must be a list.' };
  const unclear = (several as { workload?: unknown }[]).findIndex((entry) => !isWorkload(entry.workload));
  const unreadable = { path: `workloads[${unclear}]`, message: 'An entry needs a “workload” of its own.' };
  if (unclear >= 0) return unreadable;
  if (!isWorkload(workload) && (several as unknown[]).length === 0)
    return { path: 'workload', message: '“workload” needs a dataset and operations.' };
  return isObject(load) ? null : { path: 'load', message: '“load” is missing.' };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function isWorkload(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (typeof value.workload_id === 'string') return true;
  const { dataset, operations, access } = value;
  return (
    isObject(dataset) && isObject(dataset.value_size) && isListOfObjects(operations) && isObject(access ?? {})
  );
}

function lineOfPath(document: Document, lines: LineCounter, path: string): number | null {
  const keys = path
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node = document.getIn(keys.slice(0, depth), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

/** What the api says against the plan, at the lines of its text. */
export function faultsAtLines(findings: readonly PathMessage[], read: ReadPlan): TextFault[] {
  return findings.map(({ path, message }) => ({
    line: read.lineOf(path ?? ''),
    message: path ? `${path}: ${message}` : message,
  }));
}
