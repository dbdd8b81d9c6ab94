import { type Icon, IconCheck, IconClock, IconLoader2, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Delivery } from '@/api/notifications';
import { Chip, type ChipTone } from '@/components/Chip';

const LOOKS: Record<Delivery['status'], { tone: ChipTone; icon: Icon; isTurning?: boolean }> = {
  queued: { tone: 'neutral', icon: IconClock },
  sending: { tone: 'active', icon: IconLoader2, isTurning: true },
  sent: { tone: 'good', icon: IconCheck },
  failed: { tone: 'bad', icon: IconX },
};

/** How a message went; what the other side answered is said on hover and focus. */
export function DeliveryState({ delivery }: { readonly delivery: Delivery }): ReactElement {
  const { status, attempts, response_excerpt } = delivery;
  const word = status === 'queued' && attempts > 0 ? `tried ${attempts} times` : status;
  return <Chip {...LOOKS[status]} word={word} reason={response_excerpt ?? undefined} />;
}
