/** Comments as threads. Pure. */
import type { Comment } from '@/api/comments';

export interface Thread {
  readonly first: Comment;
  readonly answers: readonly Comment[];
}

/**
 * In the order in which they began; an answer whose beginning has not been read yet is left out.
 *
 * @param pointId only what is said about this point
 */
export function threadsOf(comments: readonly Comment[], pointId?: string): Thread[] {
  const shown = pointId ? comments.filter((comment) => comment.subject_id === pointId) : comments;
  return shown
    .filter((comment) => comment.parent_id === null)
    .map((first) => ({ first, answers: comments.filter((comment) => comment.parent_id === first.id) }))
    .filter(({ first, answers }) => first.text !== null || answers.length > 0);
}
