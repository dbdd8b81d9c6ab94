import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { TeachingState } from '@/components/TeachingState';

interface NeedsRoleProps {
  /** Begins the sentence: "The audit log". */
  readonly what: string;
  /** Ends it: "admins of the team". */
  readonly who: string;
}

/** A page that is there, but not for this person. */
export function NeedsRole({ what, who }: NeedsRoleProps): ReactElement {
  return (
    <TeachingState
      icon={IconLock}
      title={`${what} is for ${who}`}
      text="Ask one of them for the role, or for what you want to know."
    />
  );
}
