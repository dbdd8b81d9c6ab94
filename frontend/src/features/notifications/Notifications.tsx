import { Stack, Title } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { ChannelList } from './ChannelList';
import { DeliveryLog } from './DeliveryLog';

/** Who is told of what, and how every message went. */
export function Notifications(): ReactElement {
  const [channelId, setChannelId] = useState<string | undefined>(undefined);
  return (
    <Stack gap="lg">
      <section aria-labelledby="channels">
        <Title order={2} size="h4" mb="xs" id="channels">
          Channels
        </Title>
        <ChannelList onLog={setChannelId} />
      </section>
      <section aria-labelledby="deliveries">
        <Title order={2} size="h4" mb="xs" id="deliveries">
          Delivery log
        </Title>
        <DeliveryLog channelId={channelId} onAll={() => setChannelId(undefined)} />
      </section>
    </Stack>
  );
}
