import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';
import { CurvesTab } from '@/features/run-curves/CurvesTab';
import { EnvironmentTab } from '@/features/run-environment/EnvironmentTab';
import { RunHeader } from '@/features/run-header/RunHeader';
import { RunLoader } from '@/features/run-header/RunLoader';
import { PlanTab } from '@/features/run-plan/PlanTab';
import { LiveTrial } from '@/features/run-seconds/LiveTrial';
import { TimeTab } from '@/features/run-seconds/TimeTab';
import { useRunStream } from '@/features/run-seconds/useRunStream';
import { TrialsTab } from '@/features/run-trials/TrialsTab';
import { RUN_TABS, type RunSearch } from './search';

const route = getRouteApi('/inside/runs/$runId');

const TAB_TITLES: Record<(typeof RUN_TABS)[number], string> = {
  curves: 'Curves',
  time: 'Time',
  trials: 'Trials',
  environment: 'Environment',
  plan: 'Plan',
};

export default function RunPage(): ReactElement {
  const { runId } = route.useParams();
  return <RunLoader runId={runId}>{(run) => <RunView key={run.id} run={run} />}</RunLoader>;
}

type RunViewProps = Pick<ComponentProps<typeof TrialsTab>, 'run'>;

function RunView({ run }: RunViewProps): ReactElement {
  const connection = useRunStream(run);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<RunSearch>) =>
    void navigate({ search: (current) => ({ ...current, ...patch }), replace: true, resetScroll: false });
  const isOver = run.finished_at !== null;
  return (
    <>
      <RunHeader run={run} connection={connection} />
      {!isOver && <LiveTrial run={run} operation={search.op} />}
      <Tabs
        mt="md"
        keepMounted={false}
        value={search.tab ?? 'curves'}
        onChange={(tab) => change({ tab: tab === 'curves' ? undefined : (tab as RunSearch['tab']) })}
      >
        <Tabs.List mb="md">
          {RUN_TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {TAB_TITLES[tab]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="curves">
          <CurvesTab
            run={run}
            view={search}
            onView={change}
            onTrial={(detail) => change({ tab: 'trials', detail })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="time">
          <TimeTab run={run} view={search} onView={change} />
        </Tabs.Panel>
        <Tabs.Panel value="trials">
          <TrialsTab run={run} detail={search.detail} onDetail={(detail) => change({ detail })} />
        </Tabs.Panel>
        <Tabs.Panel value="environment">
          <EnvironmentTab run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="plan">
          <PlanTab run={run} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
