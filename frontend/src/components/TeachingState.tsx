import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';

interface TeachingStateProps {
  readonly icon: Icon;
  readonly title: string;
  /** What will be here, and what makes it appear. */
  readonly text: ReactNode;
  /** The button that makes it appear. */
  readonly children?: ReactNode;
}

/** Nothing here yet: says what will be, and how to get there. */
export function TeachingState({ icon: Glyph, title, text, children }: TeachingStateProps): ReactElement {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs">
        <Glyph size={32} stroke={1.4} aria-hidden="true" className="teaching-icon" />
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        <Text c="dimmed" size="sm" maw={520} ta="center" component="div">
          {text}
        </Text>
        {children && <Group mt="xs">{children}</Group>}
      </Stack>
    </Paper>
  );
}
