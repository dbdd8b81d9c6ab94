import { ActionIcon, Button, Group, Menu, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import {
  type ComparisonDefinition,
  deleteComparison,
  type SavedComparison,
  saveComparison,
  savedComparisonsQuery,
} from '@/api/comparisons';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { showDone, showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { type CompareView, viewOf } from './view';

type Open = (patch: Partial<CompareView>) => void;

/** What the team kept, to open again with the trials that count now. */
export function SavedComparisons({ onOpen }: { readonly onOpen: Open }): ReactElement | null {
  const saved = useQuery(savedComparisonsQuery);
  const queries = useQueryClient();
  const mayEdit = useMay('editor');
  const [doomed, setDoomed] = useState<SavedComparison | null>(null);
  const remove = useMutation({
    mutationFn: (id: string) => deleteComparison(id),
    onError: (error) => showFailure('The comparison was not deleted', error),
    onSettled: () => {
      setDoomed(null);
      return queries.invalidateQueries({ queryKey: savedComparisonsQuery.queryKey });
    },
  });
  if (!saved.data || saved.data.items.length === 0) return null;
  return (
    <Paper withBorder p="sm" component="section" aria-label="Saved comparisons">
      <Title order={2} size="h6" mb={6}>
        Saved comparisons
      </Title>
      <Stack gap={2}>
        {saved.data.items.map((one) => (
          <SavedRow
            key={one.id}
            saved={one}
            onOpen={() => onOpen(viewOf(one.definition))}
            onDelete={mayEdit ? () => setDoomed(one) : undefined}
          />
        ))}
      </Stack>
      <ConfirmDialog
        isOpen={doomed !== null}
        title="Delete the comparison"
        confirmLabel="Delete it"
        isBusy={remove.isPending}
        onConfirm={() => doomed && remove.mutate(doomed.id)}
        onClose={() => setDoomed(null)}
      >
        “{doomed?.name}” goes for the whole team. The runs stay.
      </ConfirmDialog>
    </Paper>
  );
}

interface SavedRowProps {
  readonly saved: SavedComparison;
  readonly onOpen: () => void;
  readonly onDelete?: () => void;
}

function SavedRow({ saved, onOpen, onDelete }: SavedRowProps): ReactElement {
  const { name, created_by, created_at } = saved;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Button variant="subtle" size="compact-sm" onClick={onOpen}>
        {name}
      </Button>
      <Group gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {created_by?.name} <RelativeTime at={created_at} />
        </Text>
        {onDelete && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Delete ${name}`}
            onClick={onDelete}
          >
            <IconTrash size={14} />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}

interface SavedMenuProps {
  readonly definition: ComparisonDefinition;
  readonly onOpen: Open;
}

export function SavedMenu({ definition, onOpen }: SavedMenuProps): ReactElement {
  const mayEdit = useMay('editor');
  const saved = useQuery(savedComparisonsQuery);
  const [isNaming, naming] = useDisclosure(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="xs" leftSection={<IconBookmark size={15} aria-hidden="true" />}>
            Saved
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayEdit && <Menu.Item onClick={naming.open}>Save this comparison…</Menu.Item>}
          {(saved.data?.items ?? []).map(({ id, name, definition: kept }) => (
            <Menu.Item key={id} onClick={() => onOpen({ ...viewOf(kept), runs: undefined })}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <NameDialog definition={definition} isOpen={isNaming} onClose={naming.close} />
    </>
  );
}

interface NameDialogProps {
  readonly definition: ComparisonDefinition;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NameDialog({ definition, isOpen, onClose }: NameDialogProps): ReactElement {
  const [name, setName] = useState('');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => saveComparison(name.trim(), definition),
    onSuccess: () => {
      showDone(`“${name.trim()}” is saved.`);
      onClose();
      return queries.invalidateQueries({ queryKey: savedComparisonsQuery.queryKey });
    },
    onError: (error) => showFailure('The comparison was not saved', error),
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title="Save this comparison" centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextInput
          label="Name"
          data-autofocus
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Text size="xs" c="dimmed" mt={4}>
          The question is kept; it is answered with the trials that count when it is opened.
        </Text>
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
