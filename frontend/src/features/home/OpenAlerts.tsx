import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Alert, alertsQuery, OPEN_STATES } from '@/api/alerts';
import { AlertStateChip, ChangeText } from '@/components/AlertChips';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { metricTitle } from '@/lib/metrics';

const SHOWN = 5;

/** What shifted and nobody has closed. A page without alerts says nothing of them. */
export function OpenAlerts(): ReactElement | null {
  const alerts = useInfiniteQuery(alertsQuery({ states: OPEN_STATES, isAwake: true }, SHOWN));
  const items = alerts.data?.pages[0]?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="open-alerts">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="open-alerts">
          Open alerts
        </Title>
        <TextLink to="/alerts" size="sm">
          All alerts
        </TextLink>
      </Group>
      <Paper withBorder p="sm">
        <Stack gap={8} component="ul" className="plain-list">
          {items.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </Stack>
      </Paper>
    </section>
  );
}

function AlertRow({ alert }: { readonly alert: Alert }): ReactElement {
  const first = alert.changes[0];
  return (
    <Group component="li" gap="sm" wrap="wrap">
      <AlertStateChip state={alert.state} />
      {first && <ChangeText change={first.change} direction={alert.direction} />}
      <Text size="sm" style={{ flex: '1 1 260px', minWidth: 0 }}>
        {first && `${metricTitle(first.metric)}, `}
        <TextLink to="/alerts/$alertId" params={{ alertId: alert.id }} className="run-name" size="sm">
          {alert.series.title}
        </TextLink>
      </Text>
      <Text size="xs" c="dimmed">
        {alert.owner?.name ?? 'nobody'} · <RelativeTime at={alert.at} />
      </Text>
    </Group>
  );
}
