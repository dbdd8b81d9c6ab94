import { Button, Group, Paper, SegmentedControl } from '@mantine/core';
import { IconBellCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Alert, type AlertState, alertsQuery, OPEN_STATES } from '@/api/alerts';
import { AlertStateChip, ChangeText } from '@/components/AlertChips';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { metricTitle } from '@/lib/metrics';
import { toProblem } from '@/lib/problem';

export interface AlertsView {
  /** Open ones when left out. */
  readonly state?: AlertState | 'any';
  /** `me`, or a person's id. */
  readonly owner?: string;
  readonly series?: string;
  readonly alert?: string;
}

interface AlertListProps {
  readonly view: AlertsView;
  readonly onView: (patch: Partial<AlertsView>) => void;
  readonly toolbar: ReactElement;
}

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'suspected', label: 'Suspected' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'expected', label: 'Expected' },
  { value: 'fixed', label: 'Fixed' },
  { value: 'false', label: 'False alarms' },
  { value: 'any', label: 'All' },
];

function statesOf(state: AlertsView['state']): readonly AlertState[] | undefined {
  if (state === 'any') return undefined;
  return state === undefined ? OPEN_STATES : [state];
}

export function AlertList({ view, onView, toolbar }: AlertListProps): ReactElement {
  const alerts = useInfiniteQuery(
    alertsQuery({ states: statesOf(view.state), owner: view.owner, seriesId: view.series }),
  );
  const items = alerts.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Filters view={view} onView={onView} toolbar={toolbar} />
      {alerts.isPending && <TableSkeleton />}
      {alerts.isError && !alerts.data && (
        <FailureState
          what="The alerts could not be read"
          code={toProblem(alerts.error).code}
          detail={toProblem(alerts.error).detail}
          onRetry={() => alerts.refetch()}
        />
      )}
      {alerts.data &&
        (items.length === 0 ? <NoAlerts view={view} /> : <Alerts items={items} onView={onView} />)}
      {alerts.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={alerts.isFetchingNextPage}
            onClick={() => alerts.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

function Filters({ view, onView, toolbar }: AlertListProps): ReactElement {
  return (
    <Group gap="sm" align="flex-end" mb="sm">
      <div className="wide-choice">
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={STATES}
          value={view.state ?? 'open'}
          onChange={(state) =>
            onView({ state: state === 'open' ? undefined : (state as AlertsView['state']) })
          }
        />
      </div>
      {toolbar}
      {view.series && (
        <Button size="compact-xs" variant="default" onClick={() => onView({ series: undefined })}>
          Of all trends
        </Button>
      )}
    </Group>
  );
}

function NoAlerts({ view }: { readonly view: AlertsView }): ReactElement {
  const isFiltered = view.state !== undefined || view.owner !== undefined || view.series !== undefined;
  return (
    <TeachingState
      icon={IconBellCheck}
      title={isFiltered ? 'No alert is like that' : 'No open alerts'}
      text="When a trend shifts, an alert stands here: suspected at first, confirmed once a new interleaved run shows the same. Both directions are told."
    >
      <ButtonLink to="/trends" variant="default">
        Look at the trends
      </ButtonLink>
    </TeachingState>
  );
}

function Alerts({
  items,
  onView,
}: {
  items: readonly Alert[];
  onView: AlertListProps['onView'];
}): ReactElement {
  return (
    <Paper withBorder p="sm">
      <DataTable
        label="Alerts"
        columns={columnsOf(onView)}
        rows={items}
        rowId={({ id }) => id}
        csvName="loadstone-alerts"
      />
    </Paper>
  );
}

function columnsOf(onView: AlertListProps['onView']): ReadonlyArray<DataColumn<Alert>> {
  return [
    {
      id: 'trend',
      header: 'Trend',
      value: ({ series }) => series.title,
      isText: true,
      cell: ({ id, series }) => (
        <TextLink
          to="/alerts"
          search={(current) => ({ ...current, alert: id })}
          fw={550}
          className="run-name"
        >
          {series.title}
        </TextLink>
      ),
    },
    {
      id: 'change',
      header: 'Change',
      value: ({ changes }) => changes[0]?.change ?? null,
      isNumber: true,
      cell: ({ changes: [first], direction }) =>
        first && <ChangeText change={first.change} direction={direction} />,
    },
    {
      id: 'metric',
      header: 'Of',
      value: ({ changes }) => metricsOf(changes),
      isText: true,
    },
    {
      id: 'state',
      header: 'State',
      value: ({ state }) => state,
      cell: ({ state, is_snoozed }) => (
        <>
          <AlertStateChip state={state} /> {is_snoozed && <span className="quiet">snoozed</span>}
        </>
      ),
    },
    ...careColumns(onView),
  ];
}

function careColumns(onView: AlertListProps['onView']): ReadonlyArray<DataColumn<Alert>> {
  return [
    {
      id: 'owner',
      header: 'Owner',
      value: ({ owner }) => owner?.name ?? null,
      cell: ({ owner }) =>
        owner ? (
          <Button size="compact-xs" variant="subtle" onClick={() => onView({ owner: owner.id })}>
            {owner.name}
          </Button>
        ) : (
          'nobody'
        ),
    },
    { id: 'at', header: 'Shifted', value: ({ at }) => at, cell: ({ at }) => <RelativeTime at={at} /> },
    {
      id: 'found',
      header: 'Found',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
  ];
}

function metricsOf(changes: Alert['changes']): string {
  const first = changes[0];
  if (!first) return '';
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : '';
  const operation = first.operation === 'all' ? '' : ` of ${first.operation}`;
  return `${metricTitle(first.metric)}${operation}${more}`;
}
