import { Alert, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { Preview } from '@/api/plans';
import { FailureState } from '@/components/FailureState';
import { countNoun, formatCount, formatDuration } from '@/lib/format';
import type { PathMessage } from '@/lib/json-path';
import type { RequestProblem } from '@/lib/problem';
import { clockTime, exactTime } from '@/lib/relative-time';
import { useNow } from '@/lib/use-now';
import type { Findings } from './findings';
import { GridPreview } from './GridPreview';

interface PreviewPanelProps {
  readonly preview: Preview | undefined;
  readonly problem: RequestProblem | null;
  readonly findings: Findings;
  readonly isStale: boolean;
  readonly onRetry: () => void;
  /** What the targets promise. */
  readonly promises: ReactNode;
  /** Where it runs, and the buttons. */
  readonly children: ReactNode;
}

/** What pressing Run now would do. */
export function PreviewPanel(props: PreviewPanelProps): ReactElement {
  const { preview, problem, findings, isStale, onRetry, promises, children } = props;
  const isUnreachable = problem !== null && problem.errors.length === 0;
  const refusalsTitle = `${countNoun(findings.refusals.length, 'thing')} to mend first`;
  return (
    <Stack gap="sm" aria-busy={isStale}>
      {isUnreachable && (
        <FailureState what="No preview" code={problem.code} detail={problem.detail} onRetry={onRetry} />
      )}
      <FindingList
        title={refusalsTitle}
        color="red"
        findings={findings.refusals}
        hasPaths={problem !== null}
      />
      {preview ? (
        <PreviewFigures preview={preview} hasTimes={findings.refusals.length === 0} />
      ) : (
        !problem && <Skeleton height={44} />
      )}
      {children}
      <FindingList title="Worth knowing" color="yellow" findings={findings.warnings} />
      {preview && preview.agents.length > 0 && <AgentFitness agents={preview.agents} />}
      {preview && preview.points.length > 0 && <GridPreview preview={preview} />}
      {promises}
    </Stack>
  );
}

interface PreviewFiguresProps {
  readonly preview: Preview;
  /** What cannot be started has no duration. */
  readonly hasTimes: boolean;
}

function PreviewFigures({ preview, hasTimes }: PreviewFiguresProps): ReactElement {
  const now = useNow(10_000);
  const finish = new Date(now.getTime() + preview.estimated_s * 1000);
  return (
    <Group gap="lg" className="numbers" aria-live="polite">
      <Figure label="points" value={formatCount(preview.point_count)} />
      <Figure label="trials" value={formatCount(preview.trial_count)} testId="preview-trials" />
      {hasTimes && (
        <>
          <Figure label="takes about" value={formatDuration(preview.estimated_s)} />
          <Figure label="done, if it starts now" value={clockTime(finish, now)} title={exactTime(finish)} />
        </>
      )}
    </Group>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly title?: string;
  readonly testId?: string;
}

function Figure({ label, value, title, testId }: FigureProps): ReactElement {
  return (
    <div title={title}>
      <Text fw={650} fz="lg" lh={1.2} data-testid={testId}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}

interface FindingListProps {
  readonly title: string;
  readonly color: 'red' | 'yellow';
  readonly findings: readonly PathMessage[];
  /** Faults of shape do not name their field in the sentence. */
  readonly hasPaths?: boolean;
}

function FindingList({ title, color, findings, hasPaths }: FindingListProps): ReactElement | null {
  if (findings.length === 0) return null;
  const Glyph = color === 'red' ? IconX : IconAlertTriangle;
  return (
    <Alert
      color={color}
      variant="outline"
      p="xs"
      title={title}
      icon={<Glyph size={16} />}
      classNames={{ title: 'alert-title' }}
    >
      <List size="xs" spacing={2}>
        {findings.map(({ code, message, path }) => (
          <List.Item key={`${path}${code}${message}`}>
            {hasPaths && path ? `${path}: ${message}` : message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function AgentFitness({ agents }: { readonly agents: Preview['agents'] }): ReactElement {
  const able = agents.filter((agent) => agent.can_take);
  const others = agents.filter((agent) => !agent.can_take);
  return (
    <div>
      <Text size="sm">
        {able.length === 0
          ? 'No agent can take it now.'
          : `Can be taken by ${able.map(({ name }) => name).join(', ')}.`}
      </Text>
      {others.map(({ id, name, reason }) => (
        <Text key={id} size="xs" c="dimmed">
          Not by {name}: {reason}
        </Text>
      ))}
    </div>
  );
}
