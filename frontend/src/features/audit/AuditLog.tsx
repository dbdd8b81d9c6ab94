import { Button, Code, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type AuditItem, type AuditView, auditQuery, membersQuery } from '@/api/team';
import { type DataColumn, DataTable } from '@/components/DataTable';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';

const SUBJECTS = [
  'run',
  'plan',
  'target',
  'workload',
  'agent',
  'enrollment',
  'schedule',
  'comparison',
  'dashboard',
  'series',
  'alert',
  'annotation',
  'share',
  'token',
  'invitation',
  'session',
  'user',
];

interface AuditLogProps {
  readonly view: AuditView;
  readonly onView: (view: AuditView) => void;
}

export function AuditLog({ view, onView }: AuditLogProps): ReactElement {
  const log = useInfiniteQuery(auditQuery(view));
  const items = log.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack gap="sm">
      <AuditFilters view={view} onView={onView} />
      {log.isPending && <TableSkeleton rows={6} />}
      {log.error && !log.data && <LogFailure error={log.error} onRetry={() => log.refetch()} />}
      {log.data && (
        <Paper withBorder p="sm">
          <DataTable
            label="Audit log"
            columns={AUDIT_COLUMNS}
            rows={items}
            rowId={(item) => item.id}
            csvName="loadstone-audit"
          />
        </Paper>
      )}
      {log.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
            Earlier entries
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function LogFailure({
  error,
  onRetry,
}: {
  readonly error: Error;
  readonly onRetry: () => void;
}): ReactElement {
  const { code, detail } = toProblem(error);
  return <FailureState what="The log could not be read" code={code} detail={detail} onRetry={onRetry} />;
}

function AuditFilters({ view, onView }: AuditLogProps): ReactElement {
  const { data: members } = useQuery(membersQuery);
  const people = (members?.items ?? []).map(({ user }) => ({ value: user.id, label: user.name }));
  return (
    <Group gap="sm" align="end" component="search">
      <NativeSelect
        label="Who"
        data={[{ value: '', label: 'anyone' }, ...people]}
        value={view.actor ?? ''}
        onChange={(event) => onView({ ...view, actor: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label="What it concerns"
        data={[{ value: '', label: 'anything' }, ...SUBJECTS]}
        value={view.subject ?? ''}
        onChange={(event) => onView({ ...view, subject: event.currentTarget.value || undefined })}
      />
      <TextInput
        label="Action"
        placeholder="run_submitted"
        defaultValue={view.action ?? ''}
        onBlur={(event) => onView({ ...view, action: event.currentTarget.value.trim() || undefined })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
    </Group>
  );
}

export const AUDIT_COLUMNS: ReadonlyArray<DataColumn<AuditItem>> = [
  { id: 'at', header: 'When', value: ({ at }) => at, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'who',
    header: 'Who',
    value: ({ actor }) => actor.name,
    cell: ({ actor }) => (
      <Text size="sm">
        {actor.name}
        {how(actor) && (
          <Text span size="xs" c="dimmed">
            {' '}
            {how(actor)}
          </Text>
        )}
      </Text>
    ),
  },
  { id: 'action', header: 'What', value: ({ action }) => action.replaceAll('_', ' ') },
  {
    id: 'subject',
    header: 'Which',
    value: ({ subject_kind, subject_id, detail }) => nameOf(detail) ?? subject_id ?? subject_kind,
    cell: ({ subject_kind, subject_id, detail }) => (
      <Text size="sm" title={subject_id ?? undefined}>
        {nameOf(detail) ?? `${subject_kind} …${subject_id?.slice(-6) ?? ''}`}
      </Text>
    ),
  },
  {
    id: 'detail',
    header: 'Detail',
    value: ({ detail }) => JSON.stringify(detail),
    isText: true,
    canSort: false,
    cell: ({ detail }) =>
      Object.keys(detail).length ? <Code className="wraps">{inWords(detail)}</Code> : '–',
  },
];

function how(actor: AuditItem['actor']): string | null {
  if (actor.kind === 'token') return 'token of the team';
  if (actor.kind === 'agent') return 'agent';
  return actor.token_name ? `by token ${actor.token_name}` : null;
}

const NAMES = ['name', 'title', 'email'];

function nameOf(detail: AuditItem['detail']): string | null {
  const name = NAMES.map((key) => detail[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : null;
}

function inWords(detail: AuditItem['detail']): string {
  return Object.entries(detail)
    .filter(([key, value]) => value !== null && !NAMES.includes(key))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
