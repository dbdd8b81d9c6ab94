import { Alert, Anchor, List } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, type Trial, trialQuery } from '@/api/runs';
import { describeParameters } from '@/lib/parameters';
import { hasNoResult, isUnusable } from './shape';

const LISTED = 6;

interface MissingPointsProps {
  readonly points: readonly Point[];
  readonly onTrial: (trialId: string) => void;
}

/** Which points stand on no line, and why. */
export function MissingPoints({ points, onTrial }: MissingPointsProps): ReactElement | null {
  const missing = points.filter(hasNoResult);
  const listed = missing.slice(0, LISTED).flatMap((point) => {
    const trial = point.trials.find(isUnusable);
    return trial ? [{ point, trialId: trial.id }] : [];
  });
  const details = useQueries({ queries: listed.map(({ trialId }) => trialQuery(trialId)) });
  if (missing.length === 0) return null;
  return (
    <Alert
      variant="outline"
      color="red"
      p="xs"
      icon={<IconBan size={16} />}
      title={
        missing.every(({ trials }) => trials.every(({ trust }) => trust === 'void'))
          ? 'Void points are on no line'
          : 'Points without a result are on no line'
      }
    >
      <List size="xs">
        {listed.map(({ point, trialId }, index) => (
          <List.Item key={point.id}>
            <Anchor component="button" type="button" size="xs" onClick={() => onTrial(trialId)}>
              {describeParameters(point.parameters)}
            </Anchor>
            : {reasonOf(details[index]?.data)}
          </List.Item>
        ))}
        {missing.length > LISTED && <List.Item>and {missing.length - LISTED} more, in the table</List.Item>}
      </List>
    </Alert>
  );
}

function reasonOf(trial: Trial | undefined): string {
  const { error } = trial ?? {};
  return (
    trial?.trust_reasons[0]?.message ??
    (error && `${error.message} ${lastFault(error.detail)}`) ??
    trial?.status ??
    'void'
  );
}

/** Of a server's log the line that says why it ended; its trial shows them all. */
function lastFault(log: string | null | undefined): string {
  const faults = (log ?? '')
    .split('\n')
    .filter((line) => /\b(error|fatal|panic|cannot|failed)\b/i.test(line));
  return faults[0] ?? '';
}
