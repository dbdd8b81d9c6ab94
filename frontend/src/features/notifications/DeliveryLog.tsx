import { Button, Group, Paper, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Delivery, deliveriesQuery } from '@/api/notifications';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { DeliveryState } from './DeliveryState';
import { eventTitle } from './words';

const COLUMNS: ReadonlyArray<DataColumn<Delivery>> = [
  { id: 'channel', header: 'Channel', value: ({ channel_name }) => channel_name },
  { id: 'event', header: 'Event', value: ({ event }) => eventTitle(event) },
  { id: 'title', header: 'Message', value: ({ title }) => title, isText: true },
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: (delivery) => <DeliveryState delivery={delivery} />,
  },
  { id: 'attempts', header: 'Attempts', value: ({ attempts }) => attempts, isNumber: true },
  {
    id: 'answer',
    header: 'Answer',
    value: ({ response_excerpt }) => response_excerpt,
    isText: true,
  },
  {
    id: 'created',
    header: 'Queued',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    id: 'next',
    header: 'Next attempt',
    value: ({ next_attempt_at }) => next_attempt_at,
    cell: ({ next_attempt_at }) => (next_attempt_at ? <RelativeTime at={next_attempt_at} /> : '–'),
  },
];

interface DeliveryLogProps {
  readonly channelId: string | undefined;
  readonly onAll: () => void;
}

export function DeliveryLog({ channelId, onAll }: DeliveryLogProps): ReactElement {
  const deliveries = useInfiniteQuery(deliveriesQuery(channelId));
  if (deliveries.isPending) return <TableSkeleton rows={4} />;
  if (!deliveries.data) {
    const { code, detail } = toProblem(deliveries.error);
    return (
      <FailureState
        what="The log could not be read"
        code={code}
        detail={detail}
        onRetry={() => deliveries.refetch()}
      />
    );
  }
  const items = deliveries.data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing was sent yet. Every message stands here, with what the other side answered.
      </Text>
    );
  }
  return (
    <Paper withBorder p="sm">
      <DataTable
        label="Deliveries"
        columns={COLUMNS}
        rows={items}
        rowId={({ id }) => id}
        csvName="loadstone-deliveries"
        toolbar={
          channelId && (
            <Button size="compact-sm" variant="default" onClick={onAll}>
              Of all channels
            </Button>
          )
        }
      />
      {deliveries.hasNextPage && (
        <Group justify="center" mt="sm">
          <Button variant="default" onClick={() => deliveries.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </Paper>
  );
}
