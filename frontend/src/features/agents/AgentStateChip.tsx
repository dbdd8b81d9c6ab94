import {
  type Icon,
  IconCircleCheck,
  IconCircleOff,
  IconDoorExit,
  IconLoader2,
  IconQuestionMark,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Agent } from '@/api/agents';
import { Chip, type ChipTone } from '@/components/Chip';

const LOOKS: Record<
  Agent['state'],
  { tone: ChipTone; icon: Icon; word: string; isTurning?: boolean; reason: string }
> = {
  online: { tone: 'good', icon: IconCircleCheck, word: 'online', reason: 'Idle, and ready for a trial.' },
  busy: {
    tone: 'active',
    icon: IconLoader2,
    word: 'busy',
    isTurning: true,
    reason: 'Executes a trial; the next one waits.',
  },
  draining: {
    tone: 'warn',
    icon: IconDoorExit,
    word: 'draining',
    reason: 'Finishes its trial and takes no more.',
  },
  offline: {
    tone: 'bad',
    icon: IconCircleOff,
    word: 'offline',
    reason: 'No sign of life for a while. Is the process running, and can it reach this page?',
  },
  never_seen: {
    tone: 'neutral',
    icon: IconQuestionMark,
    word: 'never seen',
    reason: 'Enrolled, but it has not called yet.',
  },
};

export function AgentStateChip({ state }: { readonly state: Agent['state'] }): ReactElement {
  return <Chip {...LOOKS[state]} />;
}
