import { Button, Drawer, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import {
  excludePoint,
  type Neighbours,
  neighboursQuery,
  type SeriesValue,
  type SeriesValues,
  undoExclusion,
} from '@/api/trends';
import { useMay } from '@/api/use-may';
import { formatQuantity } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ButtonLink, TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { countNoun } from '@/lib/format';
import { isVisitor } from '@/lib/link';
import { quantityOfUnit } from '@/lib/metrics';
import { toProblem } from '@/lib/problem';

interface PointDrawerProps {
  readonly seriesId: string;
  readonly value: SeriesValue | undefined;
  readonly metric: SeriesValues['metric'];
  readonly onClose: () => void;
}

/** One point: its run, what changed since the one before it, and whether it counts. */
export function PointDrawer({ seriesId, value, metric, onClose }: PointDrawerProps): ReactElement {
  return (
    <Drawer
      opened={value !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title="A point of the trend"
    >
      {value && <PointFacts key={value.point_id} seriesId={seriesId} value={value} metric={metric} />}
    </Drawer>
  );
}

interface PointFactsProps extends Omit<PointDrawerProps, 'onClose' | 'value'> {
  readonly value: SeriesValue;
}

function PointFacts({ seriesId, value, metric }: PointFactsProps): ReactElement {
  const mayEdit = useMay('editor');
  const quantity = quantityOfUnit(metric.unit);
  return (
    <Stack>
      <div>
        <Text fz="xl" fw={650} className="numbers">
          {formatQuantity(value.value, quantity)}
        </Text>
        <Text size="sm" c="dimmed" className="numbers">
          {metric.title}, {countNoun(value.trials_counted, 'trial')} from{' '}
          {formatQuantity(value.low, quantity)} to {formatQuantity(value.high, quantity)},{' '}
          <RelativeTime at={value.at} />
          {value.store_version && `, store ${value.store_version}`}
        </Text>
      </div>
      {!isVisitor() && (
        <>
          <Group>
            <ButtonLink to="/runs/$runId" params={{ runId: value.run_id }} variant="default">
              Open {value.run_name}
            </ButtonLink>
          </Group>
          {mayEdit && <ExclusionForm seriesId={seriesId} value={value} />}
        </>
      )}
      <NeighbourFacts seriesId={seriesId} pointId={value.point_id} />
    </Stack>
  );
}

type PointOfSeries = Pick<PointFactsProps, 'seriesId' | 'value'>;

function ExclusionForm({ seriesId, value }: PointOfSeries): ReactElement {
  const { excluded } = value;
  return excluded ? (
    <Excluded seriesId={seriesId} excluded={excluded} />
  ) : (
    <ExcludeForm seriesId={seriesId} pointId={value.point_id} />
  );
}

interface ExcludedProps {
  readonly seriesId: string;
  readonly excluded: NonNullable<SeriesValue['excluded']>;
}

function Excluded({ seriesId, excluded }: ExcludedProps): ReactElement {
  const queries = useQueryClient();
  const undo = useMutation({
    mutationFn: () => undoExclusion(seriesId, excluded.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['series'] }),
  });
  return (
    <Stack gap="xs">
      <NotChanged error={undo.error} />
      <Group justify="space-between">
        <Text size="sm">
          Excluded by {excluded.author?.name ?? 'someone who left'}, <RelativeTime at={excluded.created_at} />
          : {excluded.reason}
        </Text>
        <Button variant="default" size="xs" loading={undo.isPending} onClick={() => undo.mutate()}>
          Count it again
        </Button>
      </Group>
    </Stack>
  );
}

function ExcludeForm({ seriesId, pointId }: { seriesId: string; pointId: string }): ReactElement {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const exclude = useMutation({
    mutationFn: () => excludePoint(seriesId, { point_id: pointId, reason }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['series'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    exclude.mutate();
  };
  return (
    <Stack gap="xs">
      <NotChanged error={exclude.error} />
      <Group component="form" align="flex-end" gap="xs" onSubmit={submit}>
        <TextInput
          style={{ flex: 1 }}
          label="Exclude it, because"
          placeholder="the wrong kernel was installed"
          required
          maxLength={1000}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={exclude.isPending}>
          Exclude
        </Button>
      </Group>
    </Stack>
  );
}

function NotChanged({ error }: { readonly error: Error | null }): ReactElement | null {
  if (!error) return null;
  const { code, detail } = toProblem(error);
  return <FailureState what="It was not changed" code={code} detail={detail} />;
}

function NeighbourFacts({ seriesId, pointId }: { seriesId: string; pointId: string }): ReactElement {
  const neighbours = useQuery(neighboursQuery(seriesId, pointId));
  return (
    <section aria-labelledby="neighbours">
      <Title order={3} size="h5" id="neighbours" mb={6}>
        What changed since the point before
      </Title>
      {neighbours.isPending && <TableSkeleton rows={3} columns={3} />}
      {neighbours.isError && (
        <FailureState
          what="The neighbours could not be read"
          code={toProblem(neighbours.error).code}
          detail={toProblem(neighbours.error).detail}
          onRetry={() => neighbours.refetch()}
        />
      )}
      {neighbours.data && <Differences neighbours={neighbours.data} />}
    </section>
  );
}

function Differences({
  neighbours: { before, differences },
}: {
  readonly neighbours: Neighbours;
}): ReactElement {
  if (!before) return <Text size="sm">This is the first point of the trend.</Text>;
  const earlier = (
    <TextLink to="/runs/$runId" params={{ runId: before.run_id }} size="sm">
      {before.run_name}
    </TextLink>
  );
  if (differences.length === 0) {
    return (
      <Text size="sm">
        Nothing that is recorded: store, configuration, environment and engine are those of {earlier}.
      </Text>
    );
  }
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="Differences">
      <Text size="sm" mb={4}>
        Against {earlier}:
      </Text>
      <Table fz="xs" className="data-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>Here</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ kind, path, ...sides }) => (
            <Table.Tr key={`${kind}:${path}`}>
              <Table.Td className="wraps">
                {path}{' '}
                <Text span size="xs" c="dimmed">
                  {kind.replace('_', ' ')}
                </Text>
              </Table.Td>
              <Table.Td className="wraps">{textOf(sides.before)}</Table.Td>
              <Table.Td className="wraps">{textOf(sides.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
