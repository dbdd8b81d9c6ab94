import { Paper, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { Markdown } from '@/components/Markdown';

export function TextPanel({ title, markdown }: { title: string; markdown: string }): ReactElement {
  return (
    <Paper withBorder p="sm" role="group" aria-label={title || 'Note'}>
      {title !== '' && (
        <Title order={2} size="h6" mb={4}>
          {title}
        </Title>
      )}
      <Markdown text={markdown} />
    </Paper>
  );
}
