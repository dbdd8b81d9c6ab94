import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Comment, commentsQuery, createComment } from '@/api/comments';
import { type Point, pointsQuery, type Run } from '@/api/runs';
import { meQuery } from '@/api/session';
import { FailureState } from '@/components/FailureState';
import { CardsSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { describeParameters } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { CommentForm } from './CommentForm';
import { ThreadCard } from './ThreadCard';
import { threadsOf } from './threads';

interface DiscussionTabProps {
  readonly run: Run;
  /** Only what is said about this point; what is written is about it too. */
  readonly point: string | undefined;
  readonly onPoint: (pointId: string | undefined) => void;
}

/** What the team says about the run and its points. */
export function DiscussionTab(props: DiscussionTabProps): ReactElement {
  const comments = useInfiniteQuery(commentsQuery(props.run.id));
  if (comments.isPending) return <CardsSkeleton count={2} />;
  if (!comments.data) {
    const { code, detail } = toProblem(comments.error);
    const retry = () => void comments.refetch();
    return <FailureState what="The comments could not be read" code={code} detail={detail} onRetry={retry} />;
  }
  return (
    <Stack maw={820}>
      <Discussion {...props} comments={comments.data.pages.flatMap(({ items }) => items)} />
      {comments.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={comments.isFetchingNextPage}
            onClick={() => comments.fetchNextPage()}
          >
            Show newer comments
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface DiscussionProps extends DiscussionTabProps {
  readonly comments: readonly Comment[];
}

function Discussion({ run, point, onPoint, comments }: DiscussionProps): ReactElement {
  const points = useQuery(pointsQuery(run.id));
  const choices = (points.data?.items ?? []).map((one) => ({ value: one.id, label: nameOf(one) }));
  const chosen = choices.find(({ value }) => value === point)?.value;
  const mayWrite = useMayWrite();
  const send = useSend(run, chosen);
  const threads = threadsOf(comments, chosen);
  return (
    <>
      <Select
        size="xs"
        maw={520}
        label="About"
        placeholder="The whole run"
        searchable
        clearable
        data={choices}
        value={chosen ?? null}
        onChange={(value) => onPoint(value ?? undefined)}
      />
      {threads.length === 0 && <NothingSaid isOfPoint={chosen !== undefined} />}
      {threads.map((thread) => (
        <ThreadCard
          key={thread.first.id}
          thread={thread}
          pointName={choices.find(({ value }) => value === thread.first.subject_id)?.label ?? null}
          mayWrite={mayWrite}
          onPoint={onPoint}
          onAnswer={(text, requestId) => send(text, requestId, thread.first.id)}
        />
      ))}
      {mayWrite ? (
        <CommentForm
          key={chosen ?? 'run'}
          label={chosen ? 'Say something about this point' : 'Say something about this run'}
          button="Comment"
          onSend={(text, requestId) => send(text, requestId, null)}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Viewers read along; ask an admin of your team for the editor role to write.
        </Text>
      )}
    </>
  );
}

function useMayWrite(): boolean {
  const { data } = useQuery(meQuery);
  return data !== undefined && data.role !== 'viewer';
}

/** Stores what is said about the run, or about its point `pointId`. */
function useSend(run: Run, pointId: string | undefined) {
  const queries = useQueryClient();
  const about = pointId
    ? ({ subject_kind: 'point', subject_id: pointId } as const)
    : ({ subject_kind: 'run', subject_id: run.id } as const);
  return async (text: string, requestId: string, parent_id: string | null) => {
    await createComment({ ...about, parent_id, text }, requestId);
    await queries.invalidateQueries({ queryKey: ['comments', run.id] });
  };
}

function NothingSaid({ isOfPoint }: { readonly isOfPoint: boolean }): ReactElement {
  return (
    <TeachingState
      icon={IconMessages}
      title={isOfPoint ? 'Nobody has spoken of this point' : 'Nobody has spoken yet'}
      text="Say what you see, ask what it means, or note what you changed: it stays with the run."
    />
  );
}

function nameOf({ ordinal, parameters }: Point): string {
  return `Point ${ordinal + 1}: ${describeParameters(parameters)}`;
}
