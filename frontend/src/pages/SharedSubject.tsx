import { type ComponentProps, type ReactElement, useState } from 'react';
import { RunExports } from '@/features/bundles/RunExports';
import type { LinkFrame } from '@/features/link/LinkFrame';
import { EmbeddedCurves } from '@/features/run-curves/EmbeddedCurves';
import { RunHeader } from '@/features/run-header/RunHeader';
import { RunLoader } from '@/features/run-header/RunLoader';
import { useRunPolling } from '@/features/run-seconds/useRunPolling';
import { RunTabs } from './RunTabs';
import { type RunSearch, runSearch } from './search';

type Link = ComponentProps<typeof LinkFrame>['link'];

interface SharedSubjectProps {
  readonly link: Link;
  readonly isEmbedded: boolean;
}

export function SharedSubject({ link, isEmbedded }: SharedSubjectProps): ReactElement {
  return (
    <RunLoader runId={String(link.subject.run_id)}>
      {(run) => <SharedRun key={run.id} run={run} link={link} isEmbedded={isEmbedded} />}
    </RunLoader>
  );
}

interface SharedRunProps extends SharedSubjectProps {
  readonly run: ComponentProps<typeof RunTabs>['run'];
}

/** Opens as the link says; what a visitor changes is theirs until they load the page again. */
function SharedRun({ run, link, isEmbedded }: SharedRunProps): ReactElement {
  const [view, setView] = useState<RunSearch>(() => runSearch(link.view));
  const change = (patch: Partial<RunSearch>) => setView((current) => ({ ...current, ...patch }));
  useRunPolling(run);
  if (isEmbedded) return <EmbeddedCurves run={run} view={view} onView={change} />;
  return (
    <>
      <RunHeader run={run} connection="open" actions={<RunExports run={run} />} />
      <RunTabs run={run} view={view} onView={change} />
    </>
  );
}
