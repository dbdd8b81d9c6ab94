import { ActionIcon, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { type Comment, changeComment, deleteComment } from '@/api/comments';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { Markdown } from '@/components/Markdown';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { CommentForm } from './CommentForm';

interface CommentCardProps {
  readonly comment: Comment;
  /** Which point it is about, where it is about one. */
  readonly about?: ReactNode;
}

export function CommentCard({ comment, about }: CommentCardProps): ReactElement {
  const [isEditing, editing] = useDisclosure(false);
  const [isAsking, asking] = useDisclosure(false);
  const author = comment.created_by?.name ?? 'Somebody who has left';
  if (comment.text === null) {
    return (
      <Text size="sm" c="dimmed" fs="italic">
        {author} deleted this <RelativeTime at={comment.deleted_at} />
      </Text>
    );
  }
  return (
    <article aria-label={`Comment by ${author}`}>
      <Group justify="space-between" wrap="nowrap" gap="xs" align="flex-start">
        <Group gap={6} fz="sm">
          <Text span size="sm" fw={600} className="comment-author">
            {author}
          </Text>
          <Text span size="xs" c="dimmed">
            <RelativeTime at={comment.created_at} />
            {comment.edited_at && ', changed'}
          </Text>
          {about}
        </Group>
        {comment.may_change && !isEditing && <Changes onEdit={editing.open} onDelete={asking.open} />}
      </Group>
      {isEditing ? (
        <EditForm comment={comment} text={comment.text} onClose={editing.close} />
      ) : (
        <Markdown text={comment.text} />
      )}
      <DeleteDialog comment={comment} isOpen={isAsking} onClose={asking.close} />
    </article>
  );
}

function useReload({ run_id }: Comment) {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['comments', run_id] });
}

interface EditFormProps {
  readonly comment: Comment;
  readonly text: string;
  readonly onClose: () => void;
}

function EditForm({ comment, text, onClose }: EditFormProps): ReactElement {
  const reload = useReload(comment);
  const save = async (next: string) => {
    await changeComment(comment.id, next);
    await reload();
    onClose();
  };
  return (
    <CommentForm label="Change the comment" button="Save" initial={text} onCancel={onClose} onSend={save} />
  );
}

interface DeleteDialogProps {
  readonly comment: Comment;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ comment, isOpen, onClose }: DeleteDialogProps): ReactElement {
  const reload = useReload(comment);
  const remove = useMutation({
    mutationFn: () => deleteComment(comment.id),
    onSuccess: reload,
    onError: (error) => showFailure('The comment could not be deleted', error),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Delete this comment?"
      confirmLabel="Delete the comment"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its text is gone for good; answers to it stay.
    </ConfirmDialog>
  );
}

function Changes({ onEdit, onDelete }: { onEdit: () => void; onDelete: () => void }): ReactElement {
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Change the comment" onClick={onEdit}>
        <IconPencil size={15} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Delete the comment" onClick={onDelete}>
        <IconTrash size={15} />
      </ActionIcon>
    </Group>
  );
}
