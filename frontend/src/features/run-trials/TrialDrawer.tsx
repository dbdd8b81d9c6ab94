import { Code, Drawer, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { type Trial, trialQuery } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { KeyValues } from '@/components/KeyValues';
import { RelativeTime } from '@/components/RelativeTime';
import { TableSkeleton } from '@/components/Skeletons';
import { StatusChip, TrustChip } from '@/components/StatusChip';
import { formatNumber } from '@/lib/format';
import { describeParameters } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { DurabilityResult } from './DurabilityResult';
import { PhaseTable } from './PhaseTable';
import { TrialDecisions } from './TrialDecisions';

interface TrialDrawerProps {
  readonly trialId: string | undefined;
  readonly onClose: () => void;
}

/** Everything that is known about how one trial was measured. */
export function TrialDrawer({ trialId, onClose }: TrialDrawerProps): ReactElement {
  const trial = useQuery({ ...trialQuery(trialId ?? ''), enabled: trialId !== undefined });
  const problem = trial.error ? toProblem(trial.error) : null;
  const title = trial.data ? `Trial ${trial.data.ordinal + 1}` : 'Trial';
  return (
    <Drawer opened={trialId !== undefined} onClose={onClose} position="right" size="xl" title={title}>
      {problem && (
        <FailureState
          what="The trial could not be read"
          code={problem.code}
          detail={problem.detail}
          onRetry={() => trial.refetch()}
        />
      )}
      {trial.isPending && trialId !== undefined && <TableSkeleton columns={2} />}
      {trial.data && <TrialDetail trial={trial.data} />}
    </Drawer>
  );
}

function TrialDetail({ trial }: { readonly trial: Trial }): ReactElement {
  return (
    <Stack>
      <Group gap="xs">
        <StatusChip status={trial.status} />
        {trial.trust && <TrustChip trust={trial.trust} />}
        <Text size="sm">{describeParameters(trial.parameters)}</Text>
      </Group>
      {trial.error && (
        <FailureState
          what={`The trial ${trial.status}`}
          code={trial.error.code}
          detail={trial.error.message}
        />
      )}
      {trial.error?.detail && (
        <Code block tabIndex={0}>
          {trial.error.detail}
        </Code>
      )}
      <Verdict trial={trial} />
      <TrialDecisions trial={trial} />
      {trial.durability && (
        <Part title="Durability">
          <DurabilityResult report={trial.durability} />
        </Part>
      )}
      {trial.phases.map((phase) => (
        <PhaseTable
          key={phase.phase}
          phase={phase}
          isServiceTime={phase.phase !== 'prefill' && isServiceTime(trial)}
        />
      ))}
      <Untold trial={trial} />
      <Part title="How it was measured">
        <KeyValues values={factsOf(trial)} />
        <Text size="sm" mt={4}>
          Started <RelativeTime at={trial.started_at} />, ended <RelativeTime at={trial.finished_at} />
        </Text>
      </Part>
      <Surroundings trial={trial} />
    </Stack>
  );
}

/** What its engine has no figures for. */
function Untold({ trial }: { readonly trial: Trial }): ReactElement | null {
  if (trial.missing.length === 0) return null;
  return (
    <Part title={`What ${trial.engine ?? 'the engine'} cannot tell`}>
      <List size="sm">
        {trial.missing.map(({ metric, reason }) => (
          <List.Item key={metric}>
            {metricTitle(metric)}: {reason}
          </List.Item>
        ))}
      </List>
    </Part>
  );
}

/** What was started, on what, and in which state it was. */
function Surroundings({ trial }: { readonly trial: Trial }): ReactElement {
  return (
    <>
      {trial.command_lines.length > 0 && (
        <Part title="Command lines">
          <Code block tabIndex={0}>
            {trial.command_lines.join('\n')}
          </Code>
        </Part>
      )}
      {trial.environment && (
        <Part title="Environment">
          <KeyValues values={trial.environment} />
        </Part>
      )}
      {trial.load_before && (
        <Part title="Host before the trial">
          <KeyValues values={trial.load_before} />
        </Part>
      )}
      {trial.load_during && (
        <Part title="Host during the measurement">
          <KeyValues values={trial.load_during} />
        </Part>
      )}
      {trial.store && (
        <Part title={`Store: ${trial.store.kind} ${trial.store.version}`}>
          <KeyValues values={trial.store.settings} />
        </Part>
      )}
    </>
  );
}

/** Other engines than ours start their clock at the send; they say so by a warning. */
function isServiceTime(trial: Trial): boolean {
  return trial.warnings.some(({ code }) => code === 'service_times');
}

/** Such as `service_time_p90_ns`, as words. */
function metricTitle(metric: string): string {
  return metric.replace(/_ns$/, '').replaceAll('_', ' ');
}

function factsOf(trial: Trial): Record<string, unknown> {
  return {
    attempt: trial.attempt,
    repetition: trial.repetition + 1,
    block: trial.block,
    seed: trial.seed,
    engine: trial.engine === null ? null : `${trial.engine} ${trial.engine_version ?? ''}`,
    engine_elapsed_s: trial.engine_elapsed_s === null ? null : formatNumber(trial.engine_elapsed_s, 4),
  };
}

function Verdict({ trial }: { readonly trial: Trial }): ReactElement | null {
  if (trial.trust_reasons.length + trial.warnings.length === 0) return null;
  return (
    <Part title="What speaks against it">
      <List size="sm">
        {trial.trust_reasons.map(({ code, message, evidence }) => (
          <List.Item key={code}>
            {message} <Code>{code}</Code>
            <KeyValues values={evidence} />
          </List.Item>
        ))}
        {trial.warnings.map(({ code, message }) => (
          <List.Item key={`${code}${message}`}>
            {message} <Code>{code}</Code>
          </List.Item>
        ))}
      </List>
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}
