import { Drawer, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type Plan, planQuery, planVersionsQuery } from '@/api/plans';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { TableSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { exactTime } from '@/lib/relative-time';
import { changedPaths } from './changed-paths';

interface PlanVersionsProps {
  readonly plan: Plan;
  readonly onClose: () => void;
}

/** Who saved what and when, and what a version changed against the newest. */
export function PlanVersions({ plan, onClose }: PlanVersionsProps): ReactElement {
  const versions = useQuery(planVersionsQuery(plan.id));
  const [chosen, setChosen] = useState(plan.version);
  const old = useQuery(planQuery(plan.id, chosen));
  const failed = versions.error ?? old.error;
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={`Versions of “${plan.name}”`}>
      <Stack>
        {failed && (
          <FailureState
            what="The versions could not be read"
            code={toProblem(failed).code}
            detail={toProblem(failed).detail}
            onRetry={() => void Promise.all([versions.refetch(), old.refetch()])}
          />
        )}
        {versions.isPending && <TableSkeleton columns={2} />}
        {versions.data && (
          <Select
            label="Version"
            allowDeselect={false}
            data={versions.data.items.map(({ version, created_by, created_at }) => ({
              value: String(version),
              label: `${version} · ${created_by?.name ?? 'somebody'}, ${exactTime(new Date(created_at))}`,
            }))}
            value={String(chosen)}
            onChange={(version) => setChosen(Number(version))}
          />
        )}
        {old.data && <Difference newest={plan} old={old.data} />}
        <ButtonLink to="/runs/new" search={{ plan: plan.id, version: chosen }} variant="default">
          Open version {chosen} in the editor
        </ButtonLink>
      </Stack>
    </Drawer>
  );
}

function Difference({ newest, old }: { readonly newest: Plan; readonly old: Plan }): ReactElement {
  if (newest.version === old.version) {
    return (
      <Text size="sm" c="dimmed">
        This is the newest version.
      </Text>
    );
  }
  const changes = changedPaths(old.definition, newest.definition);
  return (
    <Stack gap={2}>
      <Text size="sm">
        {changes.length === 0 ? 'It says the same as the newest.' : 'What the newest has changed since:'}
      </Text>
      {changes.map(({ path, before, after }) => (
        <Text key={path} size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {path}: {before} → {after}
        </Text>
      ))}
    </Stack>
  );
}
