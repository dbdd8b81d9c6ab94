import { skipToken, useQuery } from '@tanstack/react-query';
import { telemetryQuery } from '@/api/telemetry';
import { type LiveTelemetry, liveTelemetryKey, mergeTelemetry } from './live-telemetry';

const NOTHING = { items: [], events: [], names: [] };

/** What store and host did in a trial: what was there when the page opened, and what has come since. */
export function useTelemetry(runId: string, trialId: string | null) {
  const { data: live } = useQuery<LiveTelemetry>({ queryKey: liveTelemetryKey(runId), queryFn: skipToken });
  const read = useQuery({ ...telemetryQuery(trialId ?? ''), enabled: trialId !== null });
  const news = live && live.trialId === trialId ? live : undefined;
  const before = read.data && (!news || read.data.attempt === news.attempt) ? read.data : undefined;
  return { ...mergeTelemetry(before ?? NOTHING, news ?? NOTHING), isPending: read.isPending && !news };
}
