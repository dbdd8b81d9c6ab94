import { Tabs } from '@mantine/core';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { CurvesTab } from '@/features/run-curves/CurvesTab';
import { EnvironmentTab } from '@/features/run-environment/EnvironmentTab';
import { LatencyTab } from '@/features/run-latency/LatencyTab';
import { PlanTab } from '@/features/run-plan/PlanTab';
import { TimeTab } from '@/features/run-seconds/TimeTab';
import { TrialsTab } from '@/features/run-trials/TrialsTab';
import { RUN_TABS, type RunSearch } from './search';

type Tab = (typeof RUN_TABS)[number];

const TAB_TITLES: Record<Tab, string> = {
  curves: 'Curves',
  latency: 'Latency',
  time: 'Time',
  trials: 'Trials',
  environment: 'Environment',
  plan: 'Plan',
  discussion: 'Discussion',
};

interface RunTabsProps {
  readonly run: ComponentProps<typeof TrialsTab>['run'];
  readonly view: RunSearch;
  readonly onView: (patch: Partial<RunSearch>) => void;
  /** What the team says about it; left out for visitors. */
  readonly discussion?: ReactNode;
}

/** All that is known about a run, one tab a question. */
export function RunTabs({ run, view, onView, discussion }: RunTabsProps): ReactElement {
  const tabs = RUN_TABS.filter((tab) => tab !== 'discussion' || discussion !== undefined);
  const shown = tabs.find((tab) => tab === view.tab) ?? 'curves';
  return (
    <Tabs
      mt="md"
      keepMounted={false}
      value={shown}
      onChange={(tab) => onView({ tab: tab === 'curves' ? undefined : (tab as Tab) })}
    >
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {TAB_TITLES[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="curves">
        <CurvesTab
          run={run}
          view={view}
          onView={onView}
          onTrial={(detail) => onView({ tab: 'trials', detail })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="latency">
        <LatencyTab run={run} view={view} onView={onView} />
      </Tabs.Panel>
      <Tabs.Panel value="time">
        <TimeTab run={run} view={view} onView={onView} />
      </Tabs.Panel>
      <Tabs.Panel value="trials">
        <TrialsTab run={run} detail={view.detail} onDetail={(detail) => onView({ detail })} />
      </Tabs.Panel>
      <Tabs.Panel value="environment">
        <EnvironmentTab run={run} />
      </Tabs.Panel>
      <Tabs.Panel value="plan">
        <PlanTab run={run} />
      </Tabs.Panel>
      {discussion !== undefined && <Tabs.Panel value="discussion">{discussion}</Tabs.Panel>}
    </Tabs>
  );
}
