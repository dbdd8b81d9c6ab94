import { Stack, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { schedulePreviewQuery } from '@/api/schedules';
import type { PathMessage } from '@/lib/json-path';
import { toProblem } from '@/lib/problem';
import { relativeTime } from '@/lib/relative-time';
import { useNow } from '@/lib/use-now';
import { cronWords } from './cron-words';
import { OWN_ZONE, type ScheduleDraft, toInstant, toLocal, wallClock } from './schedule-draft';

const SETTLED_MS = 250;

/** The next five firings, and what is wrong with the fields that decide them. */
export function useFirings({ cron, timeZone, startsAt, endsAt }: ScheduleDraft) {
  const [settled] = useDebouncedValue(JSON.stringify([cron, timeZone, startsAt, endsAt]), SETTLED_MS);
  const [text, zone, from, until] = JSON.parse(settled) as [string, string, string, string];
  const answer = useQuery({
    ...schedulePreviewQuery({
      cron: text,
      time_zone: zone,
      starts_at: toInstant(from),
      ends_at: toInstant(until),
    }),
    enabled: text.trim() !== '',
  });
  const problem = answer.error ? toProblem(answer.error) : null;
  const faults: PathMessage[] = problem
    ? [{ path: problem.path ?? problem.errors[0]?.path ?? '', code: problem.code, message: problem.detail }]
    : [];
  return { preview: problem ? undefined : answer.data, faults, isFetching: answer.isFetching };
}

interface FiringPreviewProps {
  readonly cron: string;
  readonly timeZone: string;
  readonly firings: ReadonlyArray<{ readonly at: string; readonly local: string }>;
}

export function FiringPreview({ cron, timeZone, firings }: FiringPreviewProps): ReactElement {
  const now = useNow(30_000);
  const hasTwoZones = timeZone !== OWN_ZONE;
  return (
    <Stack gap={4} aria-live="polite">
      <Text size="sm" fw={550}>
        {cronWords(cron) ?? 'When the expression says so'}
      </Text>
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="Next firings">
        <Table verticalSpacing={2} horizontalSpacing={6} fz="xs" aria-label="Next firings">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Next firings in {timeZone}</Table.Th>
              {hasTwoZones && <Table.Th>Your time, {OWN_ZONE}</Table.Th>}
              <Table.Th ta="right">From now</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {firings.map(({ at, local }) => (
              <Table.Tr key={at}>
                <Table.Td>{wallClock(local)}</Table.Td>
                {hasTwoZones && <Table.Td>{wallClock(toLocal(at))}</Table.Td>}
                <Table.Td ta="right">{relativeTime(new Date(at), now)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {firings.length < 5 && (
        <Text size="xs" c="dimmed">
          Then it ends.
        </Text>
      )}
    </Stack>
  );
}
