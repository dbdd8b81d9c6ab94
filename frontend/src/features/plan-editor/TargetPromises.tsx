import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { storeKindsQuery, type Target, targetsQuery } from '@/api/targets';
import { EquivalenceTable } from '@/components/EquivalenceTable';
import { promisesOf } from '@/lib/equivalence';
import type { PlanTarget } from './draft';
import { targetName } from './TargetPicker';

/** What makes the chosen targets comparable, or not, before anything runs. */
export function TargetPromises({ targets }: { readonly targets: readonly PlanTarget[] }): ReactElement {
  const { data: kinds } = useQuery(storeKindsQuery);
  const { data: saved } = useQuery(targetsQuery);
  const started = targets.map((target) => startedAs(target, saved?.items ?? []));
  return <EquivalenceTable rows={promisesOf(started, kinds?.items ?? [])} maxHeight={420} />;
}

function startedAs(target: PlanTarget, saved: readonly Target[]) {
  const name = targetName(target, saved);
  if (!('target_id' in target)) return { ...target, name };
  const found = saved.find(({ id }) => id === target.target_id);
  return { name, kind: found?.kind ?? '', profile: found?.profile ?? null, options: found?.options };
}
