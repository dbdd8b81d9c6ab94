import { Button, Checkbox, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import '@mantine/dates/styles.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import dayjs from 'dayjs';
import { type FormEvent, type ReactElement, useState } from 'react';
import { type Annotation, changeAnnotation, createAnnotation, type WriteAnnotation } from '@/api/trends';
import { FailureState } from '@/components/FailureState';
import { toProblem } from '@/lib/problem';
import { labelTitle } from './view';

interface AnnotationDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly series: { readonly title: string; readonly labels: Readonly<Record<string, string>> };
  /** Where a new one begins. */
  readonly at?: string;
  /** Edited instead of made. */
  readonly annotation?: Annotation;
}

/** Labels that say which other trends the same event concerns; the plan and the target's name change with runs. */
const OFFERED = ['target_kind', 'profile', 'agent_class', 'workload', 'load'];

export function AnnotationDialog(props: AnnotationDialogProps): ReactElement {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: WriteAnnotation) =>
      props.annotation ? changeAnnotation(props.annotation.id, body) : createAnnotation(body),
    onSuccess: () => {
      props.onClose();
      return queries.invalidateQueries({ queryKey: ['series'] });
    },
  });
  const problem = save.error ? toProblem(save.error) : null;
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.annotation ? 'Change the annotation' : 'Annotate'}
      centered
    >
      <Stack>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <AnnotationForm {...props} isBusy={save.isPending} onSubmit={save.mutate} />
      </Stack>
    </Modal>
  );
}

interface AnnotationFormProps extends AnnotationDialogProps {
  readonly isBusy: boolean;
  readonly onSubmit: (body: WriteAnnotation) => void;
}

const LOCAL = 'YYYY-MM-DD HH:mm:ss';

function AnnotationForm({ series, at, annotation, isBusy, onSubmit }: AnnotationFormProps): ReactElement {
  const [title, setTitle] = useState(annotation?.title ?? '');
  const [text, setText] = useState(annotation?.text ?? '');
  const [when, setWhen] = useState<string | null>(dayjs(annotation?.at ?? at).format(LOCAL));
  const [labels, setLabels] = useState<Record<string, string>>(annotation?.labels ?? allOf(series.labels));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (when) onSubmit({ at: dayjs(when).toISOString(), title, text, labels });
  };
  return (
    <Stack component="form" onSubmit={submit} gap="sm">
      <TextInput
        label="What happened"
        placeholder="kernel 6.8 installed"
        required
        maxLength={200}
        data-autofocus
        value={title}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      <DateTimePicker
        label="When"
        required
        withSeconds
        valueFormat="DD MMM YYYY HH:mm:ss"
        value={when}
        onChange={setWhen}
      />
      <Textarea
        label="More (Markdown)"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={10_000}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <LabelChoice
        known={{ ...allOf(series.labels), ...annotation?.labels }}
        chosen={labels}
        onChosen={setLabels}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={isBusy}>
          {annotation ? 'Save' : 'Annotate'}
        </Button>
      </Group>
    </Stack>
  );
}

function allOf(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => OFFERED.includes(name)));
}

interface LabelChoiceProps {
  readonly known: Readonly<Record<string, string>>;
  readonly chosen: Readonly<Record<string, string>>;
  readonly onChosen: (labels: Record<string, string>) => void;
}

function LabelChoice({ known, chosen, onChosen }: LabelChoiceProps): ReactElement {
  const toggle = (name: string, value: string, isOn: boolean) => {
    const { [name]: _taken, ...rest } = chosen;
    onChosen(isOn ? { ...rest, [name]: value } : rest);
  };
  const isEverywhere = Object.keys(chosen).length === 0;
  return (
    <Stack gap={6} role="group" aria-label="Drawn on every trend with">
      <Text size="sm" fw={500}>
        Drawn on every trend with
      </Text>
      {Object.entries(known).map(([name, value]) => (
        <Checkbox
          key={name}
          size="xs"
          label={`${labelTitle(name)}: ${value}`}
          checked={name in chosen}
          onChange={({ currentTarget }) => toggle(name, value, currentTarget.checked)}
        />
      ))}
      {isEverywhere && (
        <Text size="xs" c="dimmed">
          Without a label it is drawn on every trend of the team.
        </Text>
      )}
    </Stack>
  );
}
