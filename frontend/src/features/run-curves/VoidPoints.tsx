import { Alert, Anchor, List } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Point, trialQuery } from '@/api/runs';
import { describeParameters } from '@/lib/parameters';
import { isVoid } from './shape';

const LISTED = 6;

interface VoidPointsProps {
  readonly points: readonly Point[];
  readonly onTrial: (trialId: string) => void;
}

/** Which points stand on no line, and why. */
export function VoidPoints({ points, onTrial }: VoidPointsProps): ReactElement | null {
  const voided = points.filter(isVoid);
  const listed = voided.slice(0, LISTED).flatMap((point) => {
    const trial = point.trials.find(({ trust }) => trust === 'void');
    return trial ? [{ point, trialId: trial.id }] : [];
  });
  const details = useQueries({ queries: listed.map(({ trialId }) => trialQuery(trialId)) });
  if (voided.length === 0) return null;
  return (
    <Alert
      variant="outline"
      color="red"
      p="xs"
      icon={<IconBan size={16} />}
      title="Void points are on no line"
    >
      <List size="xs">
        {listed.map(({ point, trialId }, index) => (
          <List.Item key={point.id}>
            <Anchor component="button" type="button" size="xs" onClick={() => onTrial(trialId)}>
              {describeParameters(point.parameters)}
            </Anchor>
            : {details[index]?.data?.trust_reasons[0]?.message ?? 'void'}
          </List.Item>
        ))}
        {voided.length > LISTED && <List.Item>and {voided.length - LISTED} more, in the table</List.Item>}
      </List>
    </Alert>
  );
}
