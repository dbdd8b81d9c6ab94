import { Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type AlertDetail, alertQuery } from '@/api/alerts';
import { AlertStateChip, ChangeText } from '@/components/AlertChips';
import { formatQuantity } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { metricTitle, quantityOfUnit, unitOfMetric } from '@/lib/metrics';
import { toProblem } from '@/lib/problem';
import { AlertActions } from './AlertActions';
import { AlertConfirmation } from './AlertConfirmation';
import { AlertHistory } from './AlertHistory';
import type { Person } from './OwnerSelect';

interface AlertDrawerProps {
  readonly alertId: string | undefined;
  readonly people: readonly Person[];
  readonly onClose: () => void;
}

export function AlertDrawer({ alertId, people, onClose }: AlertDrawerProps): ReactElement {
  return (
    <Drawer opened={alertId !== undefined} onClose={onClose} position="right" size="xl" title="Alert">
      {alertId && <LoadedAlert key={alertId} alertId={alertId} people={people} />}
    </Drawer>
  );
}

interface LoadedAlertProps {
  readonly alertId: string;
  readonly people: readonly Person[];
}

export function LoadedAlert({ alertId, people }: LoadedAlertProps): ReactElement {
  const alert = useQuery(alertQuery(alertId));
  if (alert.isPending) return <TableSkeleton rows={6} columns={2} />;
  if (!alert.data) {
    const { code, detail } = toProblem(alert.error);
    return (
      <FailureState
        what="The alert could not be read"
        code={code}
        detail={detail}
        onRetry={() => alert.refetch()}
      />
    );
  }
  return <AlertFacts alert={alert.data} people={people} />;
}

function AlertFacts({ alert, people }: { alert: AlertDetail; people: readonly Person[] }): ReactElement {
  return (
    <Stack>
      <div>
        <Title order={2} size="h4" className="run-name">
          {alert.series.title}
        </Title>
        <Group gap="xs" mt={4}>
          <AlertStateChip state={alert.state} />
          <Text size="sm" c="dimmed">
            shifted <RelativeTime at={alert.at} />, found <RelativeTime at={alert.created_at} />
          </Text>
        </Group>
      </div>
      <Changes alert={alert} />
      <Group gap="xs">
        <ButtonLink
          to="/trends/$seriesId"
          params={{ seriesId: alert.series.id }}
          search={{ point: alert.point_id, metric: alert.changes[0]?.metric, days: 0 }}
          variant="default"
          size="xs"
        >
          See it in the trend
        </ButtonLink>
        {alert.run_id && (
          <ButtonLink to="/runs/$runId" params={{ runId: alert.run_id }} variant="default" size="xs">
            Open {alert.run_name ?? 'the run'}
          </ButtonLink>
        )}
      </Group>
      <AlertActions alert={alert} people={people} />
      <AlertConfirmation alert={alert} />
      <AlertHistory alert={alert} />
    </Stack>
  );
}

function Changes({ alert }: { readonly alert: AlertDetail }): ReactElement {
  return (
    <Stack gap={4} component="ul" className="plain-list" aria-label="What shifted">
      {alert.changes.map((change) => {
        const quantity = quantityOfUnit(unitOfMetric(change.metric));
        return (
          <Text key={change.id} size="sm" component="li">
            <ChangeText change={change.change} direction={change.direction} /> {metricTitle(change.metric)}
            {change.operation !== 'all' && ` of ${change.operation}`}:{' '}
            {formatQuantity(change.before, quantity)} → {formatQuantity(change.after, quantity)}{' '}
            <Text span size="xs" c="dimmed">
              p = {change.p_value.toPrecision(2)}, {change.algorithm_version}
            </Text>
          </Text>
        );
      })}
    </Stack>
  );
}
