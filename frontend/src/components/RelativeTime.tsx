import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { exactTime, relativeTime } from '@/lib/relative-time';
import { useNow } from '@/lib/use-now';

/** "3 min. ago"; the exact time, in the person's zone, on hover and focus. */
export function RelativeTime({ at }: { readonly at: string | null | undefined }): ReactElement {
  const now = useNow(10_000);
  if (!at) return <span>–</span>;
  const date = new Date(at);
  return (
    <Tooltip label={exactTime(date)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(date, now)}
      </time>
    </Tooltip>
  );
}
