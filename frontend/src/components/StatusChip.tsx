import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconHandGrab,
  IconLoader2,
  IconPlugConnectedX,
  IconX,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Chip, type ChipTone } from './Chip';

/** Every status of a run, trial or check. The generated api types must fit in here, or the build fails. */
export type Status =
  | 'queued'
  | 'claimed'
  | 'running'
  | 'cancelling'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'crashed';

const LOOKS: Record<Status, { tone: ChipTone; icon: Icon; isTurning?: boolean }> = {
  queued: { tone: 'neutral', icon: IconClock },
  claimed: { tone: 'active', icon: IconHandGrab },
  running: { tone: 'active', icon: IconLoader2, isTurning: true },
  cancelling: { tone: 'warn', icon: IconLoader2, isTurning: true },
  succeeded: { tone: 'good', icon: IconCheck },
  failed: { tone: 'bad', icon: IconX },
  cancelled: { tone: 'neutral', icon: IconBan },
  crashed: { tone: 'bad', icon: IconPlugConnectedX },
};

export function StatusChip({
  status,
  reason,
}: {
  readonly status: Status;
  readonly reason?: string;
}): ReactElement {
  return <Chip {...LOOKS[status]} word={status} reason={reason} />;
}

/** `none`: every trial has ended, and there is no result to judge. */
export type Trust = 'pass' | 'warn' | 'void' | 'pending' | 'none';

const TRUST_LOOKS: Record<Trust, { tone: ChipTone; icon: Icon; isHatched?: boolean }> = {
  pass: { tone: 'good', icon: IconCheck },
  warn: { tone: 'warn', icon: IconAlertTriangle },
  void: { tone: 'bad', icon: IconBan, isHatched: true },
  pending: { tone: 'neutral', icon: IconClock },
  none: { tone: 'bad', icon: IconX },
};

export function TrustChip({
  trust,
  reason,
}: {
  readonly trust: Trust;
  readonly reason?: string;
}): ReactElement {
  return <Chip {...TRUST_LOOKS[trust]} word={trust === 'none' ? 'no result' : trust} reason={reason} />;
}

const TERMINAL: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'cancelled', 'crashed']);

export function isTerminal(status: Status): boolean {
  return TERMINAL.has(status);
}
