import { Button, Checkbox, FileInput, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFileZip, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import { importBundle } from '@/api/bundles';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import { toProblem } from '@/lib/problem';

/** Opens the dialog that takes a run from another installation. */
export function ImportButton(): ReactElement | null {
  const mayEdit = useMay('editor');
  const [isOpen, dialog] = useDisclosure(false);
  if (!mayEdit) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconUpload size={15} aria-hidden="true" />}
        onClick={dialog.open}
      >
        Import
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Import a run">
        <ImportForm />
      </Modal>
    </>
  );
}

function ImportForm(): ReactElement {
  const [file, setFile] = useState<File | null>(null);
  const [joinSeries, setJoinSeries] = useState(false);
  const [progress, setProgress] = useState<number | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const bring = useMutation({
    mutationFn: (chosen: File) => importBundle(chosen, { joinSeries, onProgress: setProgress }),
    onSuccess: ({ run, isNew }) => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
      showDone(isNew ? `${run.name} is imported.` : `${run.name} was imported before.`);
      void navigate({ to: '/runs/$runId', params: { runId: run.id } });
    },
    onSettled: () => setProgress(null),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file) bring.mutate(file);
  };
  const problem = bring.error ? toProblem(bring.error) : null;
  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <Text size="sm" c="dimmed">
        A bundle holds everything that a run rests on. It opens like any other run, and stays as it is.
      </Text>
      <BundleFields file={file} onFile={setFile} joinSeries={joinSeries} onJoinSeries={setJoinSeries} />
      {progress !== null && <Progress value={progress * 100} transitionDuration={0} aria-label="Sent" />}
      {problem && (
        <FailureState what="The bundle was not imported" code={problem.code} detail={problem.detail} />
      )}
      <Group justify="flex-end">
        <Button type="submit" loading={bring.isPending} disabled={!file}>
          Import the run
        </Button>
      </Group>
    </Stack>
  );
}

interface BundleFieldsProps {
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
  readonly joinSeries: boolean;
  readonly onJoinSeries: (joinSeries: boolean) => void;
}

function BundleFields({ file, onFile, joinSeries, onJoinSeries }: BundleFieldsProps): ReactElement {
  return (
    <>
      <FileInput
        label="Bundle"
        placeholder="loadstone-….zip"
        accept=".zip,application/zip"
        leftSection={<IconFileZip size={16} aria-hidden="true" />}
        required
        clearable
        value={file}
        onChange={onFile}
      />
      <Checkbox
        label="Its points enter the trends of this team"
        checked={joinSeries}
        onChange={(event) => onJoinSeries(event.currentTarget.checked)}
      />
    </>
  );
}
