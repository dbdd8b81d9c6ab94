import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { client, dataOf } from '@/api/client';
import { type Channel, deliveriesQuery, testChannel } from '@/api/notifications';
import { showFailure } from '@/components/notices';
import { DeliveryState } from './DeliveryState';

const LOOK_AGAIN_MS = 1000;

/** Sends a test and follows it until it is sent or given up. */
export function TestButton({ channel }: { readonly channel: Channel }): ReactElement {
  const queries = useQueryClient();
  const [testId, setTestId] = useState<string | null>(null);
  const test = useMutation({
    mutationFn: () => testChannel(channel.id),
    onSuccess: ({ id }) => setTestId(id),
    onError: (error) => showFailure('The test could not be sent', error),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesQuery().queryKey.slice(0, 2) }),
  });
  const followed = useQuery({
    queryKey: ['notifications', 'test', channel.id, testId],
    enabled: testId !== null,
    queryFn: async () => {
      const query = { channel_id: channel.id, limit: 20 };
      const page = await dataOf(client.GET('/api/v1/notification-deliveries', { params: { query } }));
      return page.items.find(({ id }) => id === testId) ?? null;
    },
    refetchInterval: ({ state }) => (isOver(state.data?.status) ? false : LOOK_AGAIN_MS),
  });
  return (
    <>
      {followed.data && <DeliveryState delivery={followed.data} />}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Send a test to ${channel.name}`}
        loading={test.isPending || (testId !== null && !isOver(followed.data?.status))}
        onClick={() => test.mutate()}
      >
        Test
      </Button>
    </>
  );
}

function isOver(status: string | undefined): boolean {
  return status === 'sent' || status === 'failed';
}
