import { ActionIcon, Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconFlag, IconPencil, IconTrash, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import {
  type Annotation,
  type ChangePoint,
  deleteAnnotation,
  type SeriesLine,
  type SeriesValues,
} from '@/api/trends';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { formatQuantity } from '@/components/charts';
import { TextLink } from '@/components/links';
import { Markdown } from '@/components/Markdown';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { isVisitor } from '@/lib/link';
import { formatChange, quantityOfUnit } from '@/lib/metrics';
import { AnnotationDialog } from './AnnotationDialog';

interface TrendEventsProps {
  readonly line: SeriesLine;
  readonly metric: SeriesValues['metric'];
  readonly onPoint: (pointId: string) => void;
}

/** What shifted and what people noted, in words beside the marks of the chart. */
export function TrendEvents({ line, metric, onPoint }: TrendEventsProps): ReactElement | null {
  const [editing, setEditing] = useState<Annotation | null>(null);
  const [deleting, setDeleting] = useState<Annotation | null>(null);
  if (line.change_points.length + line.annotations.length === 0) return null;
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb={6}>
        What happened
      </Title>
      <Stack gap={6}>
        {line.change_points.map((change) => (
          <ChangeRow key={change.id} change={change} metric={metric} onPoint={onPoint} />
        ))}
        {line.annotations.map((note) => (
          <NoteRow key={note.id} note={note} onEdit={setEditing} onDelete={setDeleting} />
        ))}
      </Stack>
      {editing && (
        <AnnotationDialog isOpen series={line.series} annotation={editing} onClose={() => setEditing(null)} />
      )}
      <DeleteNote note={deleting} onClose={() => setDeleting(null)} />
    </Paper>
  );
}

interface ChangeRowProps extends Pick<TrendEventsProps, 'metric' | 'onPoint'> {
  readonly change: ChangePoint;
}

function ChangeRow({ change, metric, onPoint }: ChangeRowProps): ReactElement {
  const quantity = quantityOfUnit(metric.unit);
  const Glyph = change.change < 0 ? IconTrendingDown : IconTrendingUp;
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <Glyph
        size={16}
        aria-hidden="true"
        className={`tone-${change.direction === 'worse' ? 'bad' : 'good'}`}
      />
      <Text size="sm">
        <b className={`tone-${change.direction === 'worse' ? 'bad' : 'good'}`}>
          {formatChange(change.change)}, {change.direction}
        </b>{' '}
        from {formatQuantity(change.before, quantity)} to {formatQuantity(change.after, quantity)},{' '}
        <RelativeTime at={change.at} /> ({change.state}).{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          onClick={() => onPoint(change.point_id)}
        >
          The point
        </Anchor>
        {!isVisitor() && (
          <>
            {' · '}
            <TextLink
              to="/alerts/$alertId"
              params={{ alertId: change.alert_id }}
              size="sm"
              underline="always"
            >
              The alert
            </TextLink>
          </>
        )}
      </Text>
    </Group>
  );
}

interface NoteRowProps {
  readonly note: Annotation;
  readonly onEdit: (note: Annotation) => void;
  readonly onDelete: (note: Annotation) => void;
}

function NoteRow({ note, onEdit, onDelete }: NoteRowProps): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <IconFlag size={16} aria-hidden="true" />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm" className="run-name">
          <b>{note.title}</b>{' '}
          <Text span size="xs" c="dimmed">
            <RelativeTime at={note.at} />
            {note.author && ` · ${note.author.name}`}
          </Text>
        </Text>
        {note.text !== '' && <Markdown text={note.text} />}
      </div>
      {mayEdit && <NoteTools note={note} onEdit={onEdit} onDelete={onDelete} />}
    </Group>
  );
}

function NoteTools({ note, onEdit, onDelete }: NoteRowProps): ReactElement {
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Edit ${note.title}`}
        onClick={() => onEdit(note)}
      >
        <IconPencil size={15} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Delete ${note.title}`}
        onClick={() => onDelete(note)}
      >
        <IconTrash size={15} />
      </ActionIcon>
    </>
  );
}

function DeleteNote({ note, onClose }: { note: Annotation | null; onClose: () => void }): ReactElement {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: deleteAnnotation,
    onError: (error) => showFailure('The annotation could not be deleted', error),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: ['series'] });
    },
  });
  return (
    <ConfirmDialog
      isOpen={note !== null}
      title={`Delete “${note?.title ?? ''}”?`}
      confirmLabel="Delete the annotation"
      isBusy={remove.isPending}
      onConfirm={() => note && remove.mutate(note.id)}
      onClose={onClose}
    >
      It disappears from every trend it is drawn on.
    </ConfirmDialog>
  );
}
