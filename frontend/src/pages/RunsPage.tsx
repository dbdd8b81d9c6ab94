import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { ImportButton } from '@/features/bundles/ImportButton';
import { RunListExports } from '@/features/bundles/RunListExports';
import { RunList } from '@/features/run-list/RunList';

const route = getRouteApi('/inside/runs');

export default function RunsPage(): ReactElement {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Runs"
        actions={
          <>
            <RunListExports filter={filter} />
            <ImportButton />
          </>
        }
      />
      <RunList filter={filter} onFilter={(next) => void navigate({ search: next, replace: true })} />
    </>
  );
}
