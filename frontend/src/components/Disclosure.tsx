import { Stack, Text } from '@mantine/core';
import { type ReactElement, type ReactNode, useState } from 'react';

interface DisclosureProps {
  readonly title: string;
  /** What is set inside, in words; empty where everything is as usual. It begins open where it is not. */
  readonly set: readonly string[];
  readonly children: ReactNode;
}

/** Fields that few need: folded away until asked for, never while something in them is set. */
export function Disclosure({ title, set, children }: DisclosureProps): ReactElement {
  const [isOpen, setIsOpen] = useState(set.length > 0);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="quiet-summary">
        {title}
        {!isOpen && set.length > 0 && (
          <Text span size="xs" c="dimmed">
            {' '}
            ({set.join(', ')})
          </Text>
        )}
      </summary>
      {isOpen && (
        <Stack gap="xs" mt={6}>
          {children}
        </Stack>
      )}
    </details>
  );
}
