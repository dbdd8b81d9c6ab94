import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Spectrum = Schemas['Spectrum'];
export type HeatMap = Schemas['HeatMap'];
export type TimeKind = Spectrum['kind'];

export function spectrumQuery(pointId: string, operation: string, kind: TimeKind) {
  return queryOptions({
    queryKey: ['point', pointId, 'spectrum', operation, kind],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/points/{point_id}/spectrum', {
          params: { path: { point_id: pointId }, query: { operation, kind } },
        }),
      ),
  });
}

export function heatMapQuery(trialId: string, operation: string | undefined, kind: TimeKind) {
  return queryOptions({
    queryKey: ['trial', trialId, 'heatmap', operation, kind],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/trials/{trial_id}/heatmap', {
          params: { path: { trial_id: trialId }, query: { operation, kind } },
        }),
      ),
  });
}
