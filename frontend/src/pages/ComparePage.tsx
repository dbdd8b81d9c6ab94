import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { Compare } from '@/features/compare/Compare';
import type { CompareView } from '@/features/compare/view';

const route = getRouteApi('/inside/compare');

export default function ComparePage(): ReactElement {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<CompareView>) =>
    void navigate({
      search: (current) => ({ ...current, ...mutable(patch) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader title="Compare" />
      <Compare view={view} onView={change} />
    </>
  );
}

/** The router's search holds plain arrays. */
function mutable({ side, metric, hide, ...rest }: Partial<CompareView>) {
  return {
    ...rest,
    ...(side === undefined ? {} : { side: [...side] }),
    ...(metric === undefined ? {} : { metric: [...metric] }),
    hide: hide && [...hide],
  };
}
