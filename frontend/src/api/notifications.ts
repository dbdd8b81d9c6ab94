import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Channel = Schemas['Channel'];
export type ChannelKind = Channel['kind'];
export type ChannelEvent = Channel['events'][number];
export type CreateChannel = Schemas['CreateChannel'];
export type ChangeChannel = Schemas['ChangeChannel'];
export type CreatedChannel = Schemas['CreatedChannel'];
export type Delivery = Schemas['Delivery'];

export const channelsQuery = queryOptions({
  queryKey: ['notifications', 'channels'],
  queryFn: () => dataOf(client.GET('/api/v1/notification-channels')),
});

export function createChannel(body: CreateChannel): Promise<CreatedChannel> {
  return dataOf(client.POST('/api/v1/notification-channels', { body }));
}

export function changeChannel(channelId: string, body: ChangeChannel): Promise<Channel> {
  return dataOf(
    client.PUT('/api/v1/notification-channels/{channel_id}', {
      params: { path: { channel_id: channelId } },
      body,
    }),
  );
}

export async function deleteChannel(channelId: string): Promise<void> {
  await client.DELETE('/api/v1/notification-channels/{channel_id}', {
    params: { path: { channel_id: channelId } },
  });
}

/** Queues a message that says that it is a test; how it went stands in the delivery log. */
export function testChannel(channelId: string): Promise<Delivery> {
  return dataOf(
    client.POST('/api/v1/notification-channels/{channel_id}/test', {
      params: { path: { channel_id: channelId } },
    }),
  );
}

const REFRESH_MS = 5000;

export function deliveriesQuery(channelId?: string) {
  return infiniteQueryOptions({
    queryKey: ['notifications', 'deliveries', channelId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      dataOf(
        client.GET('/api/v1/notification-deliveries', {
          params: { query: { channel_id: channelId, cursor: pageParam ?? undefined, limit: 50 } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
}
