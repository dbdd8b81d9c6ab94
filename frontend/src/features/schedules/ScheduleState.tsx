import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconFlag,
  IconPlayerPause,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Firing, Schedule } from '@/api/schedules';
import { Chip, type ChipTone } from '@/components/Chip';

const STATES: Record<Schedule['state'], { tone: ChipTone; icon: Icon }> = {
  active: { tone: 'good', icon: IconClock },
  paused: { tone: 'neutral', icon: IconPlayerPause },
  ended: { tone: 'neutral', icon: IconFlag },
  broken: { tone: 'bad', icon: IconAlertTriangle },
};

export function ScheduleStateChip({ schedule }: { readonly schedule: Schedule }): ReactElement {
  return <Chip {...STATES[schedule.state]} word={schedule.state} reason={schedule.error?.message} />;
}

const OUTCOMES: Record<Firing['outcome'], { tone: ChipTone; icon: Icon }> = {
  submitted: { tone: 'good', icon: IconCheck },
  skipped: { tone: 'neutral', icon: IconPlayerSkipForward },
  missed: { tone: 'warn', icon: IconClock },
  refused: { tone: 'bad', icon: IconBan },
};

export function OutcomeChip({ firing }: { readonly firing: Firing }): ReactElement {
  return <Chip {...OUTCOMES[firing.outcome]} word={firing.outcome} reason={firing.error?.message} />;
}
