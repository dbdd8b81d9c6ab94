import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { Compare } from '@/features/compare/Compare';
import { type CompareView, definitionOf } from '@/features/compare/view';
import { ShareButton } from '@/features/share/ShareButton';

const route = getRouteApi('/inside/compare');

export default function ComparePage(): ReactElement {
  const view = route.useSearch();
  const definition = definitionOf(view);
  const navigate = route.useNavigate();
  const change = (patch: Partial<CompareView>) =>
    void navigate({
      search: (current) => ({ ...current, ...mutable(patch) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader
        title="Compare"
        actions={
          definition && (
            <ShareButton kind="comparison" subject={{ definition }} title="Comparison" view={{ ...view }} />
          )
        }
      />
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
