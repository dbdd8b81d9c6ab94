import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCopyPlus, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { cancelRun, type RunListItem } from '@/api/runs';
import { useMay } from '@/api/use-may';
import { CancelRunDialog } from '@/components/CancelRunDialog';
import { IconLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { isTerminal } from '@/components/StatusChip';

export function RunActions({ run }: { readonly run: RunListItem }): ReactElement | null {
  const mayEdit = useMay('editor');
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
  if (!mayEdit) return null;
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
        <IconLink
          variant="subtle"
          color="gray"
          to="/runs/new"
          search={{ from: run.id }}
          aria-label={`Clone ${run.name} with changes`}
        >
          <IconCopyPlus size={16} />
        </IconLink>
      </Tooltip>
      <CancelRunDialog
        runName={run.name}
        isOpen={isAsking}
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
        onClose={ask.close}
      />
    </Group>
  );
}
