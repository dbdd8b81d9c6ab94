import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { createEnrollment } from '@/api/agents';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { Secret } from '@/components/Secret';
import { toProblem } from '@/lib/problem';

interface EnrollDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A one-time token in a command to be typed on the host; the card appears by itself. */
export function EnrollDialog({ isOpen, onClose }: EnrollDialogProps): ReactElement {
  const enrollment = useMutation({ mutationFn: createEnrollment });
  const close = () => {
    enrollment.reset();
    onClose();
  };
  const problem = enrollment.error ? toProblem(enrollment.error) : null;
  return (
    <Modal opened={isOpen} onClose={close} title="Enroll a host" centered size="lg">
      <Stack>
        {enrollment.data ? (
          <>
            <Secret title="Type this on the host that shall measure" value={enrollment.data.command}>
              Shown this once; enrolls one agent. Expires <RelativeTime at={enrollment.data.expires_at} />.
            </Secret>
            <Text size="sm">The agent appears among the cards as soon as it calls.</Text>
            <Group justify="flex-end">
              <Button onClick={close}>Done</Button>
            </Group>
          </>
        ) : (
          <>
            {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
            <Text size="sm">
              The host needs the agent installed and has to reach this page and the broker. It never sees the
              database.
            </Text>
            <Group justify="flex-end">
              <Button loading={enrollment.isPending} onClick={() => enrollment.mutate()} data-autofocus>
                Show the command
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}
