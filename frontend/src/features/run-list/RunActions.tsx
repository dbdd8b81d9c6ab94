import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCopyPlus, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { cancelRun, type RunListItem } from '@/api/runs';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { showFailure } from '@/components/notices';
import { isTerminal } from '@/components/StatusChip';

export function RunActions({ run }: { readonly run: RunListItem }): ReactElement {
  const [isAsking, ask] = useDisclosure(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onError: (error) => showFailure(`“${run.name}” could not be cancelled`, error),
    onSettled: () => {
      ask.close();
      return queries.invalidateQueries({ queryKey: ['runs'] });
    },
  });
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {!isTerminal(run.status) && (
        <Tooltip label="Cancel">
          <ActionIcon variant="subtle" color="red" aria-label={`Cancel ${run.name}`} onClick={ask.open}>
            <IconPlayerStop size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label="Clone with changes">
        <ActionIcon
          variant="subtle"
          color="gray"
          component={Link}
          to="/runs/new"
          search={{ from: run.id }}
          aria-label={`Clone ${run.name} with changes`}
        >
          <IconCopyPlus size={16} />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Cancel “${run.name}”?`}
        confirmLabel="Cancel the run"
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
        onClose={ask.close}
      >
        The trial under way is stopped and its numbers are discarded; trials that have ended stay. The rest will not be
        executed.
      </ConfirmDialog>
    </Group>
  );
}
