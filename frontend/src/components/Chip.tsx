import { Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactElement } from 'react';

export type ChipTone = 'neutral' | 'active' | 'good' | 'warn' | 'bad';

interface ChipProps {
  readonly tone: ChipTone;
  readonly icon: Icon;
  readonly word: string;
  readonly isHatched?: boolean;
  readonly isTurning?: boolean;
  /** Said on hover and focus. */
  readonly reason?: string;
}

/** A state as icon, word and colour together: never colour alone. */
export function Chip({ tone, icon: Glyph, word, isHatched, isTurning, reason }: ChipProps): ReactElement {
  const chip = (
    <span
      className="chip"
      data-tone={tone}
      data-hatched={isHatched || undefined}
      tabIndex={reason ? 0 : undefined}
    >
      <Glyph size={13} stroke={2.2} aria-hidden="true" className={isTurning ? 'chip-turning' : undefined} />
      {word}
    </span>
  );
  return reason ? (
    <Tooltip label={reason} multiline maw={360} events={{ hover: true, focus: true, touch: true }}>
      {chip}
    </Tooltip>
  ) : (
    chip
  );
}
