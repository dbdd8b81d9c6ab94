import { Group, Paper, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { runVerdictQuery } from '@/api/comparisons';
import type { RunListItem } from '@/api/runs';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { StatusChip } from '@/components/StatusChip';
import { countNoun } from '@/lib/format';
import { useLastVisit } from './useLastVisit';

export function FinishedRuns({ runs }: { readonly runs: readonly RunListItem[] }): ReactElement {
  const lastVisit = useLastVisit();
  const isNew = ({ finished_at }: RunListItem) =>
    lastVisit !== null && finished_at !== null && Date.parse(finished_at) > lastVisit;
  const news = runs.filter(isNew).length;
  return (
    <section aria-labelledby="finished-runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="finished-runs">
          Finished
          {news > 0 && (
            <Text span size="sm" c="dimmed" fw={400}>
              {' '}
              {countNoun(news, 'run')} since your last visit
            </Text>
          )}
        </Title>
        <TextLink to="/runs" size="sm">
          All runs
        </TextLink>
      </Group>
      <Paper withBorder p="xs">
        <Table.ScrollContainer
          minWidth={0}
          type="native"
          tabIndex={0}
          role="region"
          aria-label="Finished runs"
        >
          <Table highlightOnHover className="data-table">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Run</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th>Outcome</Table.Th>
                <Table.Th>Finished</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {runs.map((run) => (
                <FinishedRow key={run.id} run={run} isNew={isNew(run)} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </section>
  );
}

function FinishedRow({ run, isNew }: { readonly run: RunListItem; readonly isNew: boolean }): ReactElement {
  const verdict = useQuery({
    ...runVerdictQuery(run.id, run.status_counts.succeeded),
    enabled: run.error === null && run.status_counts.succeeded > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/runs/$runId" params={{ runId: run.id }} fw={550} className="run-name">
          {run.name}
        </TextLink>
        {isNew && <span className="chip new-mark">new</span>}
      </Table.Td>
      <Table.Td>
        <StatusChip status={run.status} />
      </Table.Td>
      <Table.Td className="wraps">{verdict.data?.sentence ?? outcome(run)}</Table.Td>
      <Table.Td>
        <RelativeTime at={run.finished_at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Why it failed, or how much of it was measured. */
function outcome(run: RunListItem): string {
  if (run.error) return run.error.message;
  const lost = run.status_counts.failed + run.status_counts.crashed;
  const measured = `${run.status_counts.succeeded} of ${countNoun(run.trial_count, 'trial')} measured`;
  return lost > 0 ? `${measured}, ${lost} failed` : measured;
}
