import { Accordion, Paper, Stack, Text, Title } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { pointsQuery, type Run, type Trial, trialQuery } from '@/api/runs';
import { storeKindsQuery } from '@/api/targets';
import { EquivalenceTable } from '@/components/EquivalenceTable';
import { FailureState } from '@/components/FailureState';
import { KeyValues } from '@/components/KeyValues';
import { CardsSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { promisesOf } from '@/lib/equivalence';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { type Distinct, distinct } from './distinct';

/** Of each target, this many trials are read to find what differs. */
const READ_PER_TARGET = 3;

/** A few trials of each target, with everything recorded about them. */
function useRecorded(run: Run) {
  const points = useQuery(pointsQuery(run.id));
  const trialIds = run.definition.targets.flatMap(({ name }) =>
    (points.data?.items ?? [])
      .filter(({ parameters }) => parameters.target === name)
      .flatMap(({ trials }) => trials.filter(({ status }) => status === 'succeeded' || status === 'failed'))
      .slice(0, READ_PER_TARGET)
      .map(({ id }) => id),
  );
  const trials = useQueries({ queries: trialIds.map(trialQuery) });
  const read = trials.flatMap(({ data }) => (data ? [data] : []));
  const failed = trials.find(({ error }) => error);
  const isPending = points.isPending || (read.length === 0 && trials.some((trial) => trial.isPending));
  return { read, failed, isPending };
}

/** What the targets promise, and what everything ran on. */
export function EnvironmentTab({ run }: { readonly run: Run }): ReactElement {
  return (
    <Stack>
      <TargetPromises run={run} />
      <Recorded run={run} />
    </Stack>
  );
}

function TargetPromises({ run }: { readonly run: Run }): ReactElement | null {
  const { data: kinds } = useQuery(storeKindsQuery);
  const rows = promisesOf(run.definition.targets, kinds?.items ?? []);
  if (rows.every(({ promises }) => promises === null)) return null;
  return (
    <Paper withBorder p="md">
      <EquivalenceTable rows={rows} />
    </Paper>
  );
}

/** Each distinct environment and store configuration once. */
function Recorded({ run }: { readonly run: Run }): ReactElement {
  const { read, failed, isPending } = useRecorded(run);
  if (isPending) return <CardsSkeleton />;
  if (failed?.error && read.length === 0) {
    const { code, detail } = toProblem(failed.error);
    const retry = () => void failed.refetch();
    return (
      <FailureState what="The environment could not be read" code={code} detail={detail} onRetry={retry} />
    );
  }
  const hosts = distinct(read.map(({ environment }) => environment));
  const stores = distinct(
    read.map(({ store }) => store),
    read.map(({ parameters }) => String(parameters.target ?? '')),
  );
  if (hosts.length + stores.length === 0) {
    return (
      <TeachingState
        icon={IconServer}
        title="Nothing has been recorded yet"
        text="Host, kernel, store version and its full effective configuration are kept with every trial once it has ended."
      />
    );
  }
  return (
    <Stack>
      {hosts.map((host, index) => (
        <HostCard
          key={JSON.stringify(host.value)}
          host={host}
          place={hosts.length === 1 ? null : index + 1}
        />
      ))}
      <StoreList stores={stores} />
    </Stack>
  );
}

interface HostCardProps {
  readonly host: Distinct<NonNullable<Trial['environment']>>;
  /** Among several variants. */
  readonly place: number | null;
}

function HostCard({ host, place }: HostCardProps): ReactElement {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5">
        {place === null ? 'Host' : `Host, variant ${place}`}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        the same in {countNoun(host.count, 'trial')} read
      </Text>
      <KeyValues values={host.value} />
    </Paper>
  );
}

function StoreList({
  stores,
}: {
  readonly stores: readonly Distinct<NonNullable<Trial['store']>>[];
}): ReactElement {
  return (
    <Accordion variant="contained" multiple>
      {stores.map(({ value, count, names }) => (
        <Accordion.Item key={JSON.stringify(value)} value={JSON.stringify(value)}>
          <Accordion.Control>
            <Text span fw={600}>
              {names.join(', ')}
            </Text>
            : {value.kind} {value.version}, {countNoun(Object.keys(value.settings).length, 'setting')}, the
            same in {countNoun(count, 'trial')} read
          </Accordion.Control>
          <Accordion.Panel>
            <KeyValues values={value.settings} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
