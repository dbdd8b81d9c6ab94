import { Paper, Text, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TextView } from '@/api/dashboards';
import { Markdown } from '@/components/Markdown';

interface TextFieldsProps {
  readonly view: TextView;
  readonly onView: (view: TextView) => void;
}

export function TextFields({ view, onView }: TextFieldsProps): ReactElement {
  return (
    <>
      <Textarea
        label="Markdown"
        autosize
        minRows={4}
        maxRows={14}
        maxLength={20_000}
        value={view.markdown}
        onChange={({ currentTarget }) => onView({ ...view, markdown: currentTarget.value })}
      />
      {view.markdown !== '' && (
        <Paper withBorder p="sm">
          <Text size="xs" c="dimmed" mb={4}>
            As it will be seen
          </Text>
          <Markdown text={view.markdown} />
        </Paper>
      )}
    </>
  );
}
