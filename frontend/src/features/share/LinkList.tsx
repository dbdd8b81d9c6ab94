import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconClockOff, IconLinkOff, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { revokeShare, type ShareItem, sharesQuery } from '@/api/shares';
import { Chip } from '@/components/Chip';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { FailureState } from '@/components/FailureState';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';

interface LinkListProps {
  readonly kind: ShareItem['kind'];
  readonly subject: object;
  readonly subjectId?: string;
}

/** Links that lead to the same thing, and how to end them. */
export function LinkList({ kind, subject, subjectId }: LinkListProps): ReactElement {
  const shares = useQuery(sharesQuery(kind, subjectId));
  const [ending, setEnding] = useState<ShareItem | null>(null);
  if (shares.isPending) return <TableSkeleton rows={2} columns={3} />;
  if (!shares.data) {
    const { code, detail } = toProblem(shares.error);
    return <FailureState what="The links could not be read" code={code} detail={detail} />;
  }
  const items = subjectId
    ? shares.data.items
    : shares.data.items.filter((item) => isSame(item.subject, subject));
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Links to it
      </Title>
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      )}
      {items.map((item) => (
        <LinkRow key={item.id} item={item} onEnd={() => setEnding(item)} />
      ))}
      <EndDialog item={ending} onClose={() => setEnding(null)} />
    </Stack>
  );
}

/** Whatever the order of their keys. */
function isSame(one: object, other: object): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, sorted(part)]),
  );
}

const STATES = {
  active: { tone: 'good', icon: IconCircleCheck, word: 'works' },
  expired: { tone: 'neutral', icon: IconClockOff, word: 'expired' },
  revoked: { tone: 'neutral', icon: IconLinkOff, word: 'revoked' },
} as const;

function LinkRow({ item, onEnd }: { readonly item: ShareItem; readonly onEnd: () => void }): ReactElement {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" truncate>
          {item.title}
        </Text>
        <Group gap={6} fz="xs" c="dimmed">
          <Chip {...STATES[item.state]} />
          {item.has_password && <Chip tone="neutral" icon={IconLock} word="password" />}
          <span>
            made <RelativeTime at={item.created_at} />
            {item.created_by && ` by ${item.created_by.name}`}
          </span>
          <span>{countNoun(item.view_count, 'view')}</span>
          {item.state === 'active' && item.expires_at && (
            <span>
              ends <RelativeTime at={item.expires_at} />
            </span>
          )}
        </Group>
      </div>
      {item.state === 'active' && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={onEnd}
          aria-label={`Revoke the link ${item.title}`}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}

interface EndDialogProps {
  readonly item: ShareItem | null;
  readonly onClose: () => void;
}

function EndDialog({ item, onClose }: EndDialogProps): ReactElement {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (shareId: string) => revokeShare(shareId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['shares'] }),
    onError: (error) => showFailure('The link could not be revoked', error),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      isOpen={item !== null}
      title={`Revoke the link “${item?.title ?? ''}”?`}
      confirmLabel="Revoke the link"
      isBusy={revoke.isPending}
      onConfirm={() => item && revoke.mutate(item.id)}
      onClose={onClose}
    >
      Whoever has it sees nothing any more; frames, pictures and badges end within a minute. This cannot be
      undone; make another link instead.
    </ConfirmDialog>
  );
}
