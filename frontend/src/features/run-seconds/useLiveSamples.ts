import { skipToken, useQuery } from '@tanstack/react-query';
import type { Sample, SampleList } from '@/api/runs';
import { type LiveSeconds, liveSecondsKey, mergeSeconds } from './live-seconds';

/** The seconds of a trial: those that were read, and those that have come since while it runs. */
export function useLiveSamples(
  runId: string,
  trialId: string | null,
  read: SampleList | undefined,
): readonly Sample[] {
  const { data: live } = useQuery<LiveSeconds>({ queryKey: liveSecondsKey(runId), queryFn: skipToken });
  const news = live && live.trialId === trialId ? live : undefined;
  const before = read && (!news || read.attempt === news.attempt) ? read.items : [];
  return news ? mergeSeconds(before, news.items) : before;
}
