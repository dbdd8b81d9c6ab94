import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactElement } from 'react';

interface CopyRowProps {
  readonly label: string;
  readonly value: string;
}

/** One line of text to paste elsewhere. */
export function CopyRow({ label, value }: CopyRowProps): ReactElement {
  return (
    <div>
      <Group justify="space-between" mb={2}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Copy: ${label}`}
              leftSection={copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block className="secret" tabIndex={0} aria-label={label}>
        {value}
      </Code>
    </div>
  );
}
