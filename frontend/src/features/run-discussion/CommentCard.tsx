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
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['comments', comment.run_id] });
  const remove = useMutation({
    mutationFn: () => deleteComment(comment.id),
    onSuccess: reload,
    onError: (error) => showFailure('The comment could not be deleted', error),
    onSettled: asking.close,
  });
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
        <CommentForm
          label="Change the comment"
          button="Save"
          initial={comment.text}
          onCancel={editing.close}
          onSend={async (text) => {
            await changeComment(comment.id, text);
            await reload();
            editing.close();
          }}
        />
      ) : (
        <Markdown text={comment.text} />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete this comment?"
        confirmLabel="Delete the comment"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={asking.close}
      >
        Its text is gone for good; answers to it stay.
      </ConfirmDialog>
    </article>
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
