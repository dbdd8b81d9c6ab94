import {
  type Icon,
  IconCheck,
  IconEye,
  IconHelpCircle,
  IconThumbUp,
  IconTrendingDown,
  IconTrendingUp,
  IconUrgent,
  IconX,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatChange } from '@/lib/metrics';
import { Chip, type ChipTone } from './Chip';

/** Every state of an alert. The generated api types must fit in here, or the build fails. */
export type AlertState = 'suspected' | 'confirmed' | 'acknowledged' | 'expected' | 'fixed' | 'false';

const LOOKS: Record<AlertState, { tone: ChipTone; icon: Icon; meaning: string }> = {
  suspected: {
    tone: 'warn',
    icon: IconHelpCircle,
    meaning: 'Found in the trend, not yet confirmed by a new run',
  },
  confirmed: { tone: 'bad', icon: IconUrgent, meaning: 'A run in a new session shows it too' },
  acknowledged: { tone: 'active', icon: IconEye, meaning: 'Somebody works on it' },
  expected: { tone: 'neutral', icon: IconThumbUp, meaning: 'It was meant to change' },
  fixed: { tone: 'good', icon: IconCheck, meaning: 'It is as it was before' },
  false: { tone: 'neutral', icon: IconX, meaning: 'There was no such change' },
};

const ALERT_WORDS: Record<AlertState, string> = {
  suspected: 'suspected',
  confirmed: 'confirmed',
  acknowledged: 'acknowledged',
  expected: 'expected',
  fixed: 'fixed',
  false: 'false alarm',
};

export function AlertStateChip({ state }: { readonly state: AlertState }): ReactElement {
  const { tone, icon, meaning } = LOOKS[state];
  return <Chip tone={tone} icon={icon} word={ALERT_WORDS[state]} reason={meaning} />;
}

interface ChangeTextProps {
  readonly change: number;
  readonly direction: 'better' | 'worse';
}

/** By how much and in which direction: an arrow, a number and a word, not colour alone. */
export function ChangeText({ change, direction }: ChangeTextProps): ReactElement {
  const Glyph = change < 0 ? IconTrendingDown : IconTrendingUp;
  return (
    <span className={`change-text tone-${direction === 'worse' ? 'bad' : 'good'}`}>
      <Glyph size={15} aria-hidden="true" /> {formatChange(change)} {direction}
    </span>
  );
}
