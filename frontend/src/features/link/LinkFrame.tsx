import { Group, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { SharedView } from '@/api/shares';
import { RelativeTime } from '@/components/RelativeTime';

interface LinkFrameProps {
  readonly link: SharedView;
  readonly children: ReactNode;
}

/** Whose it is and until when, above what the link shows. */
export function LinkFrame({ link, children }: LinkFrameProps): ReactElement {
  return (
    <>
      <Group component="header" justify="space-between" gap="xs" mb="md" fz="sm" c="dimmed">
        <Group gap={6}>
          <IconEye size={16} aria-hidden="true" />
          <Text span size="sm">
            <b>{link.title}</b>, shared by {link.team_name}, to read only
          </Text>
        </Group>
        <span>
          made <RelativeTime at={link.created_at} />
          {link.expires_at && (
            <>
              , ends <RelativeTime at={link.expires_at} />
            </>
          )}
        </span>
      </Group>
      {children}
    </>
  );
}
