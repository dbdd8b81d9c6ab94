import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';

interface FailureStateProps {
  /** What could not be done: "The runs could not be read". */
  readonly what: string;
  readonly code: string;
  /** Why, and what to do about it. */
  readonly detail: string;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

/** What failed, why, and the next step. */
export function FailureState({ what, code, detail, onRetry, children }: FailureStateProps): ReactElement {
  return (
    <Alert icon={<IconAlertTriangle size={18} />} color="red" variant="outline" title={what} role="alert">
      <Stack gap="xs">
        <Text size="sm">
          {detail} <Code>{code}</Code>
        </Text>
        {(onRetry || children) && (
          <Group gap="xs">
            {onRetry && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                onClick={onRetry}
              >
                Try again
              </Button>
            )}
            {children}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
