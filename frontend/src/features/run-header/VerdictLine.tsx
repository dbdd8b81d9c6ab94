import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { runVerdictQuery } from '@/api/comparisons';
import type { Run } from '@/api/runs';
import { TextLink } from '@/components/links';
import { isVisitor } from '@/lib/link';

/** What the run says in one sentence, and the way to all its cells. */
export function VerdictLine({ run }: { readonly run: Run }): ReactElement | null {
  const succeeded = run.status_counts.succeeded;
  const verdict = useQuery({
    ...runVerdictQuery(run.id, succeeded),
    enabled: succeeded > 0,
  });
  if (!verdict.data) return null;
  return (
    <Group gap="sm" align="baseline">
      <Text fw={550} className="run-verdict">
        {verdict.data.sentence}
      </Text>
      {run.definition.targets.length > 1 && !isVisitor() && (
        <TextLink to="/compare" search={{ side: targetSides(run) }} size="sm">
          Compare the targets
        </TextLink>
      )}
    </Group>
  );
}

const MOST_SIDES = 20;

function targetSides(run: Run): string[] {
  return run.definition.targets
    .slice(0, MOST_SIDES)
    .map(({ name }) => `${run.id}?${new URLSearchParams({ target: name })}`);
}
