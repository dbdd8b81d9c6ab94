import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Comment = Schemas['Comment'];
export type CreateComment = Schemas['CreateComment'];

const PAGE = 200;

/** All that is said about a run and its points, oldest first. */
export function commentsQuery(runId: string) {
  return infiniteQueryOptions({
    queryKey: ['comments', runId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      dataOf(
        client.GET('/api/v1/comments', {
          params: {
            query: { subject_kind: 'run', subject_id: runId, limit: PAGE, cursor: pageParam ?? undefined },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** @param requestId the same for a repeated press of the same button, so that it is said once */
export function createComment(body: CreateComment, requestId: string): Promise<Comment> {
  return dataOf(
    client.POST('/api/v1/comments', { params: { header: { 'idempotency-key': requestId } }, body }),
  );
}

export function changeComment(commentId: string, text: string): Promise<Comment> {
  return dataOf(
    client.PUT('/api/v1/comments/{comment_id}', {
      params: { path: { comment_id: commentId } },
      body: { text },
    }),
  );
}

export async function deleteComment(commentId: string): Promise<void> {
  await client.DELETE('/api/v1/comments/{comment_id}', { params: { path: { comment_id: commentId } } });
}
