import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';
import { ProvenanceNote } from '@/features/bundles/ProvenanceNote';
import { RunExports } from '@/features/bundles/RunExports';
import { DiscussionTab } from '@/features/run-discussion/DiscussionTab';
import { RunHeader } from '@/features/run-header/RunHeader';
import { RunLoader } from '@/features/run-header/RunLoader';
import { LiveTrial } from '@/features/run-seconds/LiveTrial';
import { useRunStream } from '@/features/run-seconds/useRunStream';
import { ShareButton } from '@/features/share/ShareButton';
import { RunTabs } from './RunTabs';
import type { RunSearch } from './search';

const route = getRouteApi('/inside/runs/$runId');

export default function RunPage(): ReactElement {
  const { runId } = route.useParams();
  return <RunLoader runId={runId}>{(run) => <RunView key={run.id} run={run} />}</RunLoader>;
}

type RunViewProps = Pick<ComponentProps<typeof RunTabs>, 'run'>;

function RunView({ run }: RunViewProps): ReactElement {
  const connection = useRunStream(run);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<RunSearch>) =>
    void navigate({ search: (current) => ({ ...current, ...patch }), replace: true, resetScroll: false });
  const isOver = run.finished_at !== null;
  return (
    <>
      <RunHeader
        run={run}
        connection={connection}
        note={<ProvenanceNote run={run} />}
        actions={
          <>
            <ShareButton
              kind="run"
              subject={{ run_id: run.id }}
              subjectId={run.id}
              title={run.name}
              view={search}
            />
            <RunExports run={run} />
          </>
        }
      />
      {!isOver && <LiveTrial run={run} operation={search.op} />}
      <RunTabs
        run={run}
        view={search}
        onView={change}
        discussion={<DiscussionTab run={run} point={search.point} onPoint={(point) => change({ point })} />}
      />
    </>
  );
}
