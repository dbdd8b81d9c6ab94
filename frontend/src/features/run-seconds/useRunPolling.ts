import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Run } from '@/api/runs';
import { isTerminal } from '@/components/StatusChip';

const REFRESH_MS = 5000;

/** Reads a live run again and again where no stream may be followed: a link gives none. */
export function useRunPolling(run: Run): void {
  const queries = useQueryClient();
  const isOver = isTerminal(run.status);
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(
      () => void queries.invalidateQueries({ queryKey: ['run', run.id] }),
      REFRESH_MS,
    );
    return () => clearInterval(timer);
  }, [run.id, isOver, queries]);
}
