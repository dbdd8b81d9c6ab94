import { Group, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface PageHeaderProps {
  readonly title: ReactNode;
  /** Beside the title: chips, counts. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHeader({ title, aside, actions }: PageHeaderProps): ReactElement {
  return (
    <Group justify="space-between" mb="md" gap="sm" align="center">
      <Group gap="sm" style={{ minWidth: 0, flex: '1 1 auto' }}>
        <Title order={1} size="h3" className="page-title">
          {title}
        </Title>
        {aside}
      </Group>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
