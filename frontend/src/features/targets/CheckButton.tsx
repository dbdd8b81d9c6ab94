import { Button, Group } from '@mantine/core';
import { IconAlertTriangle, IconLoader2, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { checkQuery, startCheck, type Target, type TargetCheck, targetsQuery } from '@/api/targets';
import { useMay } from '@/api/use-may';
import { Chip } from '@/components/Chip';
import { formatNumber } from '@/lib/format';
import { toProblem } from '@/lib/problem';

/** Asks an agent to reach the store, and shows what it found. */
export function CheckButton({ target }: { readonly target: Target }): ReactElement {
  const mayEdit = useMay('editor');
  const queries = useQueryClient();
  const start = useMutation({ mutationFn: () => startCheck(target.id) });
  const checkId = start.data?.id;
  const asked = useQuery({ ...checkQuery(target.id, checkId ?? ''), enabled: checkId !== undefined });
  const isOver = Boolean(asked.data?.finished_at);
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: targetsQuery.queryKey, exact: true });
  }, [isOver, queries]);
  const check = asked.data ?? start.data ?? target.last_check;
  const failure = start.error ?? asked.error;
  return (
    <Group gap="xs" wrap="nowrap">
      {mayEdit && (
        <Button
          size="compact-xs"
          variant="default"
          loading={start.isPending || (checkId !== undefined && !isOver && !asked.error)}
          onClick={() => start.mutate()}
        >
          Check
        </Button>
      )}
      {failure ? (
        <Chip tone="bad" icon={IconAlertTriangle} word="not checked" reason={toProblem(failure).detail} />
      ) : (
        check && <CheckChip check={check} />
      )}
    </Group>
  );
}

function CheckChip({ check }: { readonly check: TargetCheck }): ReactElement {
  if (!check.finished_at) {
    return (
      <Chip
        tone="active"
        icon={IconLoader2}
        isTurning
        word="checking"
        reason={`Asked ${check.agent.name}.`}
      />
    );
  }
  const { result } = check;
  if (!result?.reachable) {
    const why = result?.error
      ? `${result.error.message} (${result.error.code})`
      : 'The agent did not answer in time.';
    return <Chip tone="bad" icon={IconPlugConnectedX} word="unreachable" reason={why} />;
  }
  const word =
    typeof result.round_trip_ms === 'number'
      ? `reachable, ${formatNumber(result.round_trip_ms)} ms`
      : 'reachable';
  const version = result.version ? `version ${result.version}, ` : '';
  return (
    <Chip tone="good" icon={IconPlugConnected} word={word} reason={`${version}from ${check.agent.name}`} />
  );
}
