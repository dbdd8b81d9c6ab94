import type { ReactElement } from 'react';
import type { RunFilter } from '@/api/runs';
import { ExportMenu } from '@/components/ExportMenu';

/** The runs that fit the filter, all of them. */
export function RunListExports({ filter }: { readonly filter: RunFilter }): ReactElement {
  const query = new URLSearchParams();
  if (filter.q) query.set('q', filter.q);
  if (filter.status) query.set('status', filter.status);
  if (filter.mine) query.set('created_by', 'me');
  const tail = query.size > 0 ? `?${query}` : '';
  return (
    <ExportMenu
      items={[
        { label: 'Runs as CSV', path: `/api/v1/runs.csv${tail}` },
        { label: 'Runs as JSON', path: `/api/v1/runs.json${tail}` },
      ]}
    />
  );
}
