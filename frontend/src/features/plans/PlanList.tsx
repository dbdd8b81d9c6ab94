import { Button, Group, Paper, Stack, Switch, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconClipboardList, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Plan, planListQuery } from '@/api/plans';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { PlanActions } from './PlanActions';
import { PlanVersions } from './PlanVersions';

/** `versions` is a plan's id. */
export interface PlansView {
  readonly q?: string;
  readonly archived?: boolean;
  readonly versions?: string;
}

interface PlanListProps {
  readonly view: PlansView;
  readonly onView: (view: PlansView) => void;
}

export function PlanList({ view, onView }: PlanListProps): ReactElement {
  const plans = useInfiniteQuery(planListQuery({ q: view.q, archived: view.archived }));
  if (plans.isPending) return <TableSkeleton columns={6} />;
  if (!plans.data) {
    const { code, detail } = toProblem(plans.error);
    return (
      <FailureState
        what="The plans could not be read"
        code={code}
        detail={detail}
        onRetry={() => void plans.refetch()}
      />
    );
  }
  const items = plans.data.pages.flatMap((page) => page.items);
  if (items.length === 0 && !view.q && !view.archived)
    return <NoPlans onArchived={() => onView({ archived: true })} />;
  const shown = items.find(({ id }) => id === view.versions);
  return (
    <Stack gap="sm">
      <Paper withBorder p="sm">
        <DataTable
          label="Plans"
          columns={columnsOf((versions) => onView({ ...view, versions }))}
          rows={items}
          rowId={({ id }) => id}
          csvName="loadstone-plans"
          toolbar={<Toolbar view={view} onView={onView} />}
        />
      </Paper>
      {plans.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={plans.isFetchingNextPage} onClick={() => plans.fetchNextPage()}>
            Show older plans
          </Button>
        </Group>
      )}
      {shown && <PlanVersions plan={shown} onClose={() => onView({ ...view, versions: undefined })} />}
    </Stack>
  );
}

function Toolbar({ view, onView }: PlanListProps): ReactElement {
  return (
    <>
      <TextInput
        size="xs"
        w={220}
        aria-label="Filter by name"
        placeholder="Filter by name ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={view.q ?? ''}
        onChange={(event) => onView({ ...view, q: event.currentTarget.value || undefined })}
      />
      <Switch
        size="xs"
        label="Archived"
        checked={view.archived ?? false}
        onChange={(event) => onView({ ...view, archived: event.currentTarget.checked || undefined })}
      />
    </>
  );
}

function NoPlans({ onArchived }: { readonly onArchived: () => void }): ReactElement {
  return (
    <TeachingState
      icon={IconClipboardList}
      title="No saved plans"
      text="A plan says what is measured and how hard: targets, a workload, the axes to vary. Compose one in a new run and save it, to run it again, schedule it, and follow its results over time. Every save is a version that can be gone back to."
    >
      <ButtonLink to="/runs/new">Compose a plan</ButtonLink>
      <Button variant="subtle" size="xs" onClick={onArchived}>
        Look into the archive
      </Button>
    </TeachingState>
  );
}

function pointsOf({ definition }: Plan): number {
  return (definition.axes ?? []).reduce(
    (count, { values }) => count * values.length,
    definition.targets.length,
  );
}

const FACTS: ReadonlyArray<DataColumn<Plan>> = [
  { id: 'points', header: 'Points', isNumber: true, value: pointsOf },
  {
    id: 'trials',
    header: 'Trials',
    isNumber: true,
    value: (plan) => pointsOf(plan) * (plan.definition.trials_per_point ?? 3),
  },
  {
    id: 'targets',
    header: 'Targets',
    isNumber: true,
    value: ({ definition }) => definition.targets.length,
    cell: ({ definition }) => countNoun(definition.targets.length, 'target'),
  },
  {
    id: 'who',
    header: 'Saved by',
    value: (plan) => plan.version_created_by?.name ?? plan.created_by?.name,
  },
  {
    id: 'saved',
    header: 'Saved',
    value: ({ version_created_at }) => version_created_at,
    cell: ({ version_created_at }) => <RelativeTime at={version_created_at} />,
  },
];

function columnsOf(showVersions: (planId: string) => void): DataColumn<Plan>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ id, name, archived_at }) =>
        archived_at ? (
          <Text size="sm" className="run-name">
            {name}
          </Text>
        ) : (
          <TextLink to="/runs/new" search={{ plan: id }} fw={550} className="run-name">
            {name}
          </TextLink>
        ),
    },
    {
      id: 'version',
      header: 'Version',
      isNumber: true,
      value: ({ version }) => version,
      cell: ({ id, name, version, archived_at }) =>
        archived_at ? (
          version
        ) : (
          <UnstyledButton
            className="link-button"
            fz="sm"
            aria-label={`${version}, versions of ${name}`}
            onClick={() => showVersions(id)}
          >
            {version}
          </UnstyledButton>
        ),
    },
    ...FACTS,
    {
      id: 'actions',
      header: 'Actions',
      value: () => null,
      cell: (plan) => <PlanActions plan={plan} onVersions={showVersions} />,
      isActions: true,
    },
  ];
}
