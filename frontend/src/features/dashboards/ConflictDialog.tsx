import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import {
  contentOf,
  createDashboard,
  type Dashboard,
  type DashboardContent,
  readDashboard,
  saveDashboard,
} from '@/api/dashboards';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import type { Draft } from './draft-storage';
import { mergeContents } from './merge';

interface ConflictDialogProps {
  readonly draft: Draft;
  readonly onSaved: (dashboard: Dashboard) => void;
  readonly onClose: () => void;
}

/** Someone else saved first. Every way out keeps both: theirs is a version of its own already. */
export function ConflictDialog({ draft, onSaved, onClose }: ConflictDialogProps): ReactElement {
  const theirs = useQuery({
    queryKey: ['dashboards', draft.base.id, 'theirs', draft.base.version],
    queryFn: () => readDashboard(draft.base.id),
    staleTime: 0,
  });
  return (
    <Modal opened onClose={onClose} title="Someone saved this dashboard meanwhile" centered size="lg">
      {theirs.isPending && <TableSkeleton rows={3} columns={2} />}
      {theirs.isError && (
        <FailureState
          what="The other version could not be read"
          code={toProblem(theirs.error).code}
          detail={toProblem(theirs.error).detail}
          onRetry={() => theirs.refetch()}
        />
      )}
      {theirs.data && <Choices draft={draft} theirs={theirs.data} onSaved={onSaved} onClose={onClose} />}
    </Modal>
  );
}

interface ChoicesProps extends ConflictDialogProps {
  readonly theirs: Dashboard;
}

function Choices({ draft, theirs, onSaved, onClose }: ChoicesProps): ReactElement {
  const { content, contested } = mergeContents(contentOf(draft.base), draft.content, contentOf(theirs));
  const save = useMutation({
    mutationFn: (wanted: DashboardContent | 'copy') =>
      wanted === 'copy'
        ? createDashboard({ ...draft.content, name: `${draft.content.name} (copy)`, is_pinned: false })
        : saveDashboard(theirs.id, theirs.version, wanted),
    onSuccess: onSaved,
  });
  const problem = save.error ? toProblem(save.error) : null;
  return (
    <Stack>
      <Text size="sm">
        {theirs.changed_by?.name ?? 'Someone'} saved version {theirs.version} (
        {countNoun(theirs.panel_count, 'panel')}) <RelativeTime at={theirs.changed_at} />. You began with
        version {draft.base.version}.
      </Text>
      {contested.length > 0 ? (
        <div>
          <Text size="sm">
            Both of you changed these; in “both” yours stand, theirs stay in version {theirs.version}:
          </Text>
          <List size="sm">
            {contested.map((name) => (
              <List.Item key={name}>{name}</List.Item>
            ))}
          </List>
        </div>
      ) : (
        <Text size="sm">You changed different things: both fit together.</Text>
      )}
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" onClick={onClose}>
          Go on editing
        </Button>
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate('copy')}>
          Save mine as another
        </Button>
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate(draft.content)}>
          Save only mine
        </Button>
        <Button loading={save.isPending} onClick={() => save.mutate(content)}>
          Save both
        </Button>
      </Group>
    </Stack>
  );
}
