import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { toProblem } from '@/lib/problem';
import { FailureState } from './FailureState';
import { TableSkeleton } from './Skeletons';

interface QueryPartProps<T> {
  readonly query: UseQueryResult<T>;
  /** What could not be done if it fails: "The members could not be read". */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** A part of a page that waits for one answer: a skeleton before it, and what to do when it fails. */
export function QueryPart<T>({ query, what, children }: QueryPartProps<T>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isPending) return <TableSkeleton rows={3} />;
  const { code, detail } = toProblem(query.error);
  return <FailureState what={what} code={code} detail={detail} onRetry={() => query.refetch()} />;
}
