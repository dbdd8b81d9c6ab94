import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';

/** Reads everything that is on the page anew, every `refreshS` seconds while the page is looked at. */
export function useAutoRefresh(refreshS: number | null) {
  const queries = useQueryClient();
  const [refreshedAt, setRefreshedAt] = useState(() => new Date());
  const now = useCallback(async () => {
    await queries.refetchQueries({ type: 'active' });
    setRefreshedAt(new Date());
  }, [queries]);
  useEffect(() => {
    if (refreshS === null) return;
    const timer = setInterval(() => {
      if (!document.hidden) void now();
    }, refreshS * 1000);
    return () => clearInterval(timer);
  }, [refreshS, now]);
  return { refreshedAt, now };
}
