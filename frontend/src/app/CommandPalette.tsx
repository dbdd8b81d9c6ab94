import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import {
  IconBell,
  IconBellRinging,
  IconBook2,
  IconCalendarTime,
  IconChartLine,
  IconClipboardList,
  IconCpu,
  IconDatabase,
  IconDevices,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconPlayerPlay,
  IconPlaylist,
  IconScale,
  IconSearch,
  IconTrendingUp,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState } from 'react';
import { useFinds } from './palette-finds';

const PAGES = [
  { to: '/', label: 'Home', description: 'What runs now and what finished', icon: IconHome },
  {
    to: '/runs/new',
    label: 'New run',
    description: 'Choose targets, workload and axes',
    icon: IconPlayerPlay,
  },
  { to: '/runs', label: 'Runs', description: 'Everything that ran', icon: IconChartLine },
  { to: '/compare', label: 'Compare', description: 'Which is better, and how sure that is', icon: IconScale },
  {
    to: '/trends',
    label: 'Trends',
    description: 'Every series over time, and what shifted',
    icon: IconTrendingUp,
  },
  { to: '/alerts', label: 'Alerts', description: 'What shifted, and who looks at it', icon: IconBell },
  {
    to: '/dashboards',
    label: 'Dashboards',
    description: 'Panels the team looks at together',
    icon: IconLayoutDashboard,
  },
  {
    to: '/settings/notifications',
    label: 'Notifications',
    description: 'Who is told of what',
    icon: IconBellRinging,
  },
  { to: '/queue', label: 'Queue', description: 'What waits, for what, and until when', icon: IconPlaylist },
  {
    to: '/schedules',
    label: 'Schedules',
    description: 'What starts by itself',
    icon: IconCalendarTime,
  },
  {
    to: '/recipes',
    label: 'Recipes',
    description: 'Published studies and other plans, ready to run',
    icon: IconBook2,
  },
  { to: '/plans', label: 'Plans', description: 'Saved plans and their versions', icon: IconClipboardList },
  { to: '/targets', label: 'Targets', description: 'Stores under test', icon: IconDatabase },
  { to: '/agents', label: 'Agents', description: 'Hosts that measure', icon: IconCpu },
  { to: '/settings/tokens', label: 'API tokens', description: 'For scripts', icon: IconKey },
  {
    to: '/settings/members',
    label: 'Members',
    description: 'Who belongs to the team; invite someone',
    icon: IconUsers,
  },
  {
    to: '/settings/sessions',
    label: 'Sessions',
    description: 'Where people are signed in',
    icon: IconDevices,
  },
  { to: '/settings/audit', label: 'Audit log', description: 'Who changed what', icon: IconListDetails },
  { to: '/account', label: 'Your account', description: 'Password, sessions', icon: IconUser },
] as const;

/** Loaded at the first Ctrl-K. */
export default function CommandPalette({ calls }: { readonly calls: number }): ReactElement {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const finds = useFinds(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every call opens it again
  useEffect(() => spotlight.open(), [calls]);

  const pages: SpotlightActionData[] = PAGES.map(({ to, label, description, icon: Glyph }) => ({
    id: to,
    label,
    description,
    leftSection: <Glyph size={18} stroke={1.6} />,
    onClick: () => void navigate({ to }),
  }));
  return (
    <Spotlight
      actions={[{ group: 'Pages', actions: pages }, ...finds.filter(({ actions }) => actions.length > 0)]}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      nothingFound="Nothing of that name"
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: 'Search everything, or say what to do',
        'aria-label': 'Search everything, or say what to do',
      }}
    />
  );
}
