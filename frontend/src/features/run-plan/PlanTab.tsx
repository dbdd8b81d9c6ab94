import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Run } from '@/api/runs';
import { fileStem, saveText } from '@/lib/save-file';

/** The resolved plan, as it was submitted. */
export function PlanTab({ run }: { readonly run: Run }): ReactElement {
  const text = JSON.stringify(run.definition, null, 2);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Everything looked up and drawn: the same document expands to the same trials.
        </Text>
        <Group gap="xs">
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" leftSection={<IconCopy size={14} />} onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveText(`${fileStem(run.name)}-plan.json`, text, 'application/json')}
          >
            Save
          </Button>
        </Group>
      </Group>
      <Code block className="definition" tabIndex={0} aria-label="The plan as JSON">
        {text}
      </Code>
    </Stack>
  );
}
