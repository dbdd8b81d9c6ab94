/** What Ctrl-K finds besides pages: things by name, and commands on them. */
import { useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import {
  IconBolt,
  IconBook2,
  IconCalendarTime,
  IconChartLine,
  IconClipboardList,
  IconCpu,
  IconDatabase,
  IconMoon,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { agentsQuery, patchAgent } from '@/api/agents';
import { planListQuery } from '@/api/plans';
import { recipesQuery } from '@/api/recipes';
import { runsQuery } from '@/api/runs';
import { pauseSchedule, resumeSchedule, runScheduleNow, schedulesQuery } from '@/api/schedules';
import { targetsQuery } from '@/api/targets';
import { showDone, showFailure } from '@/components/notices';

const SHOWN = 20;
const GLYPH = { size: 18, stroke: 1.6 } as const;

export interface FoundGroup {
  readonly group: string;
  readonly actions: SpotlightActionData[];
}

/** Does it, says so, and has every list read again. */
function useAct() {
  const queries = useQueryClient();
  return async (done: string, act: () => Promise<unknown>) => {
    try {
      await act();
      showDone(done);
    } catch (error) {
      showFailure('That did not work', error);
    }
    await queries.invalidateQueries();
  };
}

export function useFinds(text: string): FoundGroup[] {
  return [...useByServer(text), ...useLists(), { group: 'Commands', actions: useCommands() }];
}

/** The server has searched already: what it found stays, whatever the palette thinks of it. */
function useByServer(text: string): FoundGroup[] {
  const navigate = useNavigate();
  const q = text === '' ? undefined : text;
  const runs = useInfiniteQuery({ ...runsQuery({ q }, SHOWN), refetchInterval: false });
  const plans = useInfiniteQuery(planListQuery({ q }));
  return [
    {
      group: 'Runs',
      actions: (runs.data?.pages[0]?.items ?? []).map(({ id, name, status }) => ({
        id,
        label: name,
        description: `Run, ${status}`,
        keywords: [text],
        leftSection: <IconChartLine {...GLYPH} />,
        onClick: () => void navigate({ to: '/runs/$runId', params: { runId: id } }),
      })),
    },
    {
      group: 'Plans',
      actions: (plans.data?.pages[0]?.items ?? []).slice(0, SHOWN).map(({ id, name, version }) => ({
        id,
        label: name,
        description: `Plan, version ${version}`,
        keywords: [text],
        leftSection: <IconClipboardList {...GLYPH} />,
        onClick: () => void navigate({ to: '/runs/new', search: { plan: id } }),
      })),
    },
  ];
}

function useLists(): FoundGroup[] {
  const navigate = useNavigate();
  const targets = useQuery(targetsQuery);
  const agents = useQuery({ ...agentsQuery, refetchInterval: false });
  const schedules = useQuery({ ...schedulesQuery, refetchInterval: false });
  const recipes = useQuery(recipesQuery);
  return [
    {
      group: 'Recipes',
      actions: (recipes.data?.items ?? []).map(({ slug, title, question }) => ({
        id: slug,
        label: title,
        description: question,
        leftSection: <IconBook2 {...GLYPH} />,
        onClick: () => void navigate({ to: '/recipes/$slug', params: { slug } }),
      })),
    },
    {
      group: 'Targets',
      actions: (targets.data?.items ?? []).map(({ id, name, kind }) => ({
        id,
        label: name,
        description: `Target, ${kind}`,
        leftSection: <IconDatabase {...GLYPH} />,
        onClick: () => void navigate({ to: '/targets', search: { edit: id } }),
      })),
    },
    {
      group: 'Agents',
      actions: (agents.data?.items ?? []).map(({ id, name, state }) => ({
        id,
        label: name,
        description: `Agent, ${state.replace('_', ' ')}`,
        leftSection: <IconCpu {...GLYPH} />,
        onClick: () => void navigate({ to: '/agents' }),
      })),
    },
    {
      group: 'Schedules',
      actions: (schedules.data?.items ?? []).map(({ id, name, state, plan_name }) => ({
        id,
        label: name,
        description: `Schedule of ${plan_name}, ${state}`,
        leftSection: <IconCalendarTime {...GLYPH} />,
        onClick: () => void navigate({ to: '/schedules', search: { history: id } }),
      })),
    },
  ];
}

function useCommands(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  return [
    {
      id: 'command-theme',
      label: 'Toggle dark and light',
      keywords: ['theme', 'dark', 'light'],
      leftSection: <IconMoon {...GLYPH} />,
      onClick: toggleColorScheme,
    },
    {
      id: 'command-target',
      label: 'New target',
      leftSection: <IconPlus {...GLYPH} />,
      onClick: () => void navigate({ to: '/targets', search: { edit: 'new' } }),
    },
    {
      id: 'command-schedule',
      label: 'New schedule',
      leftSection: <IconPlus {...GLYPH} />,
      onClick: () => void navigate({ to: '/schedules', search: { edit: 'new' } }),
    },
    ...useScheduleCommands(),
    ...useAgentCommands(),
  ];
}

function useScheduleCommands(): SpotlightActionData[] {
  const act = useAct();
  const { data } = useQuery({ ...schedulesQuery, refetchInterval: false });
  return (data?.items ?? []).flatMap(({ id, name, state }) => {
    const isGoing = state === 'active';
    return [
      {
        id: `command-run-${id}`,
        label: `Run the schedule ${name} now`,
        leftSection: <IconBolt {...GLYPH} />,
        onClick: () => void act(`“${name}” was fired.`, () => runScheduleNow(id)),
      },
      {
        id: `command-pause-${id}`,
        label: `${isGoing ? 'Pause' : 'Resume'} the schedule ${name}`,
        leftSection: isGoing ? <IconPlayerPause {...GLYPH} /> : <IconPlayerPlay {...GLYPH} />,
        onClick: () =>
          void act(`“${name}” is ${isGoing ? 'paused' : 'active'}.`, () =>
            isGoing ? pauseSchedule(id) : resumeSchedule(id),
          ),
      },
    ];
  });
}

function useAgentCommands(): SpotlightActionData[] {
  const act = useAct();
  const { data } = useQuery({ ...agentsQuery, refetchInterval: false });
  return (data?.items ?? []).map(({ id, name, is_draining }) => ({
    id: `command-drain-${id}`,
    label: `${is_draining ? 'Take up work again on' : 'Drain'} ${name}`,
    description: is_draining ? undefined : 'Finish the trial under way, take no more',
    leftSection: is_draining ? <IconPlayerPlay {...GLYPH} /> : <IconPlayerPause {...GLYPH} />,
    onClick: () =>
      void act(is_draining ? `${name} takes trials again.` : `${name} is draining.`, () =>
        patchAgent(id, { is_draining: !is_draining }),
      ),
  }));
}
