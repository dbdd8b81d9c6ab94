import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCopy, IconKey } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';

interface SecretProps {
  readonly title: string;
  readonly value: string;
  readonly children?: ReactNode;
}

/** Something that is shown this once, to be copied. */
export function Secret({ title, value, children }: SecretProps): ReactElement {
  return (
    <Alert
      icon={<IconKey size={18} />}
      color="blue"
      variant="outline"
      title={title}
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs">
        <Code block className="secret" tabIndex={0}>
          {value}
        </Code>
        <Group>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" leftSection={<IconCopy size={14} />} onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Text size="xs" c="dimmed">
            {children ?? 'It cannot be shown again.'}
          </Text>
        </Group>
      </Stack>
    </Alert>
  );
}
