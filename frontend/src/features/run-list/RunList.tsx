import { Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconChartLine, IconScale, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type RunFilter, type RunStatus, runsQuery } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { TableSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { RunTable } from './RunTable';

interface RunListProps {
  readonly filter: RunFilter;
  readonly onFilter: (filter: RunFilter) => void;
}

export function RunList({ filter, onFilter }: RunListProps): ReactElement {
  const runs = useInfiniteQuery(runsQuery(filter));
  const isFiltered = Boolean(filter.q || filter.status || filter.mine);
  const [picked, setPicked] = useState<string[]>([]);
  const toolbar = (
    <>
      <RunFilters filter={filter} onFilter={onFilter} />
      {picked.length > 0 && <ComparePicked picked={picked} />}
    </>
  );
  if (runs.isPending) return <TableSkeleton columns={6} />;
  if (runs.isError && !runs.data) {
    const { code, detail } = toProblem(runs.error);
    return (
      <FailureState
        what="The runs could not be read"
        code={code}
        detail={detail}
        onRetry={() => runs.refetch()}
      />
    );
  }
  const items = runs.data.pages.flatMap((page) => page.items);
  if (items.length === 0 && !isFiltered) return <NoRuns />;
  return (
    <Stack gap="sm">
      <RunTable runs={items} toolbar={toolbar} picked={picked} onPick={setPicked} />
      {items.length === 0 && <NothingFits onShowAll={() => onFilter({})} />}
      {runs.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={runs.isFetchingNextPage} onClick={() => runs.fetchNextPage()}>
            Show older runs
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const MOST_COMPARED = 20;

function ComparePicked({ picked }: { readonly picked: readonly string[] }): ReactElement {
  return (
    <ButtonLink
      to="/compare"
      search={{ side: picked.slice(0, MOST_COMPARED) }}
      size="xs"
      variant="default"
      leftSection={<IconScale size={14} aria-hidden="true" />}
    >
      Compare {picked.length}
    </ButtonLink>
  );
}

function NothingFits({ onShowAll }: { readonly onShowAll: () => void }): ReactElement {
  return (
    <TeachingState icon={IconSearch} title="No run fits this filter" text="Loosen the filter to see more.">
      <Button variant="default" size="xs" onClick={onShowAll}>
        Show all runs
      </Button>
    </TeachingState>
  );
}

const STATUS_CHOICES: RunStatus[] = [
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'crashed',
];

function RunFilters({ filter, onFilter }: RunListProps): ReactElement {
  return (
    <Group gap="xs">
      <TextInput
        size="xs"
        w={220}
        aria-label="Filter by name"
        placeholder="Filter by name ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={filter.q ?? ''}
        onChange={(event) => onFilter({ ...filter, q: event.currentTarget.value || undefined })}
      />
      <Select
        size="xs"
        w={140}
        aria-label="Filter by status"
        placeholder="Any status"
        clearable
        data={STATUS_CHOICES}
        value={filter.status ?? null}
        onChange={(status) => onFilter({ ...filter, status: (status as RunStatus | null) ?? undefined })}
      />
      <Switch
        size="xs"
        label="Mine"
        checked={filter.mine ?? false}
        onChange={(event) => onFilter({ ...filter, mine: event.currentTarget.checked || undefined })}
      />
    </Group>
  );
}

function NoRuns(): ReactElement {
  return (
    <TeachingState
      icon={IconChartLine}
      title="Nothing has run yet"
      text="A run executes a plan: targets, a workload, and the load to vary. Start from a recipe and watch the first curve in about a minute."
    >
      <ButtonLink to="/runs/new" search={{ recipe: 'memcached-vs-redis' }}>
        Start from a recipe
      </ButtonLink>
      <TextLink to="/runs/new" size="sm">
        or from a blank plan
      </TextLink>
    </TeachingState>
  );
}
