import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestId } from '@/lib/request-id';
import { client, dataOf, type Schemas } from './client';

export type Schedule = Schemas['Schedule'];
export type WriteSchedule = Schemas['WriteSchedule'];
export type Firing = Schemas['Firing'];
export type SchedulePreview = Schemas['SchedulePreview'];

const REFRESH_MS = 5000;

export const schedulesQuery = queryOptions({
  queryKey: ['schedules'],
  queryFn: () => dataOf(client.GET('/api/v1/schedules', { params: { query: { limit: 200 } } })),
  refetchInterval: REFRESH_MS,
});

export function firingsQuery(scheduleId: string) {
  return queryOptions({
    queryKey: ['schedules', scheduleId, 'firings'],
    queryFn: () =>
      dataOf(
        client.GET('/api/v1/schedules/{schedule_id}/firings', {
          params: { path: { schedule_id: scheduleId }, query: { limit: 100 } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
}

export function schedulePreviewQuery(body: Schemas['PreviewSchedule']) {
  return queryOptions({
    queryKey: ['schedule-preview', body],
    queryFn: ({ signal }) => dataOf(client.POST('/api/v1/schedules/preview', { body, signal })),
    retry: false,
    placeholderData: keepPreviousData,
  });
}

export function createSchedule(body: WriteSchedule): Promise<Schedule> {
  const header = { 'idempotency-key': requestId() };
  return dataOf(client.POST('/api/v1/schedules', { params: { header }, body }));
}

/** @param version the one that the change was made from */
export function updateSchedule(scheduleId: string, version: number, body: WriteSchedule): Promise<Schedule> {
  const path = { schedule_id: scheduleId };
  return dataOf(
    client.PUT('/api/v1/schedules/{schedule_id}', { params: { path }, body: { ...body, version } }),
  );
}

export async function deleteSchedule(scheduleId: string): Promise<void> {
  await client.DELETE('/api/v1/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } } });
}

export function pauseSchedule(scheduleId: string): Promise<Schedule> {
  const path = { schedule_id: scheduleId };
  return dataOf(client.POST('/api/v1/schedules/{schedule_id}/pause', { params: { path } }));
}

export function resumeSchedule(scheduleId: string): Promise<Schedule> {
  const path = { schedule_id: scheduleId };
  return dataOf(client.POST('/api/v1/schedules/{schedule_id}/resume', { params: { path } }));
}

export function runScheduleNow(scheduleId: string): Promise<Firing> {
  const params = { path: { schedule_id: scheduleId }, header: { 'idempotency-key': requestId() } };
  return dataOf(client.POST('/api/v1/schedules/{schedule_id}/run-now', { params }));
}
