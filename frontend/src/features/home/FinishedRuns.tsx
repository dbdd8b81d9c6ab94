import { Group, Paper, Table, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { RunListItem } from '@/api/runs';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { StatusChip } from '@/components/StatusChip';
import { countNoun } from '@/lib/format';

export function FinishedRuns({ runs }: { readonly runs: readonly RunListItem[] }): ReactElement {
  return (
    <section aria-labelledby="finished-runs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="finished-runs">
          Finished
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
                <FinishedRow key={run.id} run={run} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </section>
  );
}

function FinishedRow({ run }: { readonly run: RunListItem }): ReactElement {
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/runs/$runId" params={{ runId: run.id }} fw={550} className="run-name">
          {run.name}
        </TextLink>
      </Table.Td>
      <Table.Td>
        <StatusChip status={run.status} />
      </Table.Td>
      <Table.Td className="wraps">{outcome(run)}</Table.Td>
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
