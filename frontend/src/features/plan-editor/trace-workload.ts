/** A workload that replays a trace, and one that no longer does. Pure. */
import type { PlanDefinition, WorkloadDefinition } from '@/api/plans';
import type { Trace } from '@/api/traces';
import { formatCount, formatDuration, formatPercent } from '@/lib/format';
import { BLANK_OPERATION } from './draft';

type Operation = WorkloadDefinition['operations'][number];

/** Its operations become those of the trace, each as often as there; the trace says which keys are asked for. */
export function withTrace(workload: WorkloadDefinition, trace: Trace): WorkloadDefinition {
  const operations = Object.entries(trace.operations).map(([kind, count]): Operation => {
    const own = workload.operations.find((operation) => operation.kind === kind);
    return {
      ...BLANK_OPERATION,
      ...own,
      keys_per_request: 1,
      kind: kind as Operation['kind'],
      weight: count,
    };
  });
  return {
    ...workload,
    operations,
    access: { kind: 'uniform' },
    dataset: { ...workload.dataset, hit_ratio: 1 },
    trace: { digest: trace.digest },
  };
}

/** Whether arrivals may come as they were recorded: some workload of the plan replays a trace. */
export function replaysTrace({ workload, workloads }: PlanDefinition): boolean {
  const all = [workload, ...(workloads ?? []).map((entry) => entry.workload)];
  // What a saved workload does is not known here, so it may.
  return all.some((one) => one && ('workload_id' in one || Boolean(one.trace)));
}

/** "12,000 lines over 60 s, 800 keys; get 90 %, set 10 %" */
export function traceSentence(trace: Trace): string {
  const shares = Object.entries(trace.operations).map(
    ([name, count]) => `${name.replaceAll('_', ' ')} ${formatPercent(count / trace.line_count)}`,
  );
  const span = formatDuration(trace.duration_s);
  return `${formatCount(trace.line_count)} lines over ${span}, ${formatCount(trace.key_count)} keys; ${shares.join(', ')}`;
}
