import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

interface Change<V, T> {
  readonly act: (variables: V) => Promise<T>;
  /** Keys of what has to be read again. */
  readonly rereads: ReadonlyArray<readonly unknown[]>;
  readonly onDone?: (answer: T) => void;
  readonly onFailure?: (error: Error) => void;
}

/** Something a person changes; what it touches is read again, whether it went well or not. */
export function useChange<V, T>({
  act,
  rereads,
  onDone,
  onFailure,
}: Change<V, T>): UseMutationResult<T, Error, V> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onError: onFailure,
    onSettled: () => Promise.all(rereads.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
