import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type TelemetryList = Schemas['TelemetryList'];
export type TelemetryItem = Schemas['TelemetryItem'];
export type TelemetryMark = Schemas['TelemetryMark'];
export type CounterName = Schemas['CounterName'];

/** What the stream tells at once. */
export interface TelemetryNews extends Pick<TelemetryList, 'items' | 'names' | 'events' | 'attempt'> {
  readonly trial_id: string;
  readonly point_id: string;
}

/** Charts stay smooth up to here; the api keeps the extremes of every line. */
const MAX_POINTS = 2000;

export function telemetryQuery(trialId: string) {
  return queryOptions({
    queryKey: ['trial', trialId, 'telemetry'],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/trials/{trial_id}/telemetry', {
          params: { path: { trial_id: trialId }, query: { max_points: MAX_POINTS } },
        }),
      ),
  });
}
