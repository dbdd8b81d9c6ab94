import { Button, Paper, Stack, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { CommentCard } from './CommentCard';
import { CommentForm } from './CommentForm';
import type { Thread } from './threads';

interface ThreadCardProps {
  readonly thread: Thread;
  /** The point it is about, in words; null when it is about the run. */
  readonly pointName: string | null;
  readonly mayWrite: boolean;
  readonly onPoint: (pointId: string) => void;
  readonly onAnswer: (text: string, requestId: string) => Promise<unknown>;
}

export function ThreadCard({
  thread,
  pointName,
  mayWrite,
  onPoint,
  onAnswer,
}: ThreadCardProps): ReactElement {
  const [isAnswering, answering] = useDisclosure(false);
  const about = pointName && (
    <UnstyledButton fz="xs" className="comment-point" onClick={() => onPoint(thread.first.subject_id)}>
      {pointName}
    </UnstyledButton>
  );
  return (
    <Paper withBorder p="sm" component="section" aria-label="Thread">
      <CommentCard comment={thread.first} about={about} />
      {thread.answers.length > 0 && (
        <Stack gap="sm" mt="sm" className="comment-answers">
          {thread.answers.map((answer) => (
            <CommentCard key={answer.id} comment={answer} />
          ))}
        </Stack>
      )}
      {mayWrite && !isAnswering && (
        <Button mt="xs" size="compact-xs" variant="subtle" onClick={answering.open}>
          Answer
        </Button>
      )}
      {isAnswering && (
        <Stack mt="sm" className="comment-answers">
          <CommentForm
            label="Answer"
            button="Answer"
            onCancel={answering.close}
            onSend={async (text, requestId) => {
              await onAnswer(text, requestId);
              answering.close();
            }}
          />
        </Stack>
      )}
    </Paper>
  );
}
