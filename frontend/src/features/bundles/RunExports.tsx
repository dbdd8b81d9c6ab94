import type { ReactElement } from 'react';
import type { Run } from '@/api/runs';
import { ExportMenu } from '@/components/ExportMenu';
import { isTerminal } from '@/components/StatusChip';
import { isVisitor } from '@/lib/link';

/** The run's figures as tables, and the whole run as a file that another installation opens. */
export function RunExports({ run }: { readonly run: Run }): ReactElement {
  const base = `/api/v1/runs/${run.id}`;
  const items = [
    { label: 'Points as CSV', path: `${base}/points.csv` },
    { label: 'Points as JSON', path: `${base}/points.json` },
    { label: 'Trials as CSV', path: `${base}/trials.csv` },
    { label: 'Trials as JSON', path: `${base}/trials.json` },
  ];
  const bundle = { label: 'Everything, as a bundle to import elsewhere', path: `${base}/bundle` };
  return <ExportMenu items={isTerminal(run.status) && !isVisitor() ? [...items, bundle] : items} />;
}
