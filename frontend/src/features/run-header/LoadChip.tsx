import { IconArrowsShuffle, IconRepeat } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Run } from '@/api/runs';
import { Chip } from '@/components/Chip';

const CLOSED =
  'Closed loop: each connection waits for its answer before it asks again. A slow target slows the load, so its response times look better than at a fixed rate.';
const OPEN = 'Open loop: requests arrive at a rate; response time counts from the intended start.';

/** Closed-loop figures are labelled so wherever they are shown. */
export function LoadChip({ load }: { readonly load: Run['definition']['load'] }): ReactElement {
  return load.kind === 'closed' ? (
    <Chip tone="neutral" icon={IconRepeat} word="closed loop" reason={CLOSED} />
  ) : (
    <Chip tone="neutral" icon={IconArrowsShuffle} word={`open loop, ${load.arrivals}`} reason={OPEN} />
  );
}
