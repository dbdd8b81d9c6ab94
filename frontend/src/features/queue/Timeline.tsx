import { Badge, Group, Paper, Switch, Text, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { patchAgent } from '@/api/agents';
import { type Queue, type QueueAgent, queueQuery, type TimelineSlot } from '@/api/queue';
import { useMay } from '@/api/use-may';
import { TextLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { countNoun, formatDuration } from '@/lib/format';
import { exactTime } from '@/lib/relative-time';
import { placeOf, shareOf, spanOf, type TimelineSpan, ticksOf } from './timeline-scale';

/** For each agent what ran, what runs and what is planned, on one axis of time. */
export function Timeline({ queue }: { readonly queue: Queue }): ReactElement {
  const nowMs = Date.parse(queue.now);
  const span = spanOf(queue.agents, nowMs);
  return (
    <Paper withBorder p="sm" component="section" aria-label="Timeline of the agents">
      <div className="timeline">
        {queue.agents.map((agent) => (
          <AgentLane key={agent.id} agent={agent} span={span} nowMs={nowMs} />
        ))}
        <div className="timeline-axis" aria-hidden="true">
          {ticksOf(span).map((at) => (
            <span className="timeline-hour" key={at} style={{ left: `${shareOf(at, span) * 100}%` }}>
              {new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
            </span>
          ))}
        </div>
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {sentence(queue)}
      </Text>
    </Paper>
  );
}

function sentence({ agents, waiting_run_count, waiting_trial_count }: Queue): string {
  const busy = agents.filter(({ current }) => current).length;
  const waits =
    waiting_run_count === 0
      ? 'no run waits'
      : `${countNoun(waiting_run_count, 'run')} wait${waiting_run_count === 1 ? 's' : ''}`;
  return `${busy} of ${countNoun(agents.length, 'agent')} at work; ${waits}, ${countNoun(waiting_trial_count, 'trial')} in all. Solid ran or runs, outlined is planned; the line is now.`;
}

interface LaneProps {
  readonly agent: QueueAgent;
  readonly span: TimelineSpan;
  readonly nowMs: number;
}

function AgentLane({ agent, span, nowMs }: LaneProps): ReactElement {
  const slots = [
    ...agent.recent.map((slot) => ({ slot, kind: 'ran' as const })),
    ...(agent.current ? [{ slot: agent.current, kind: 'runs' as const }] : []),
    ...agent.planned.map((slot) => ({ slot, kind: 'planned' as const })),
  ];
  return (
    <>
      <LaneHead agent={agent} />
      <ul className="timeline-lane" aria-label={`Runs on ${agent.name}`}>
        <span
          className="timeline-now"
          style={{ left: `${shareOf(nowMs, span) * 100}%` }}
          aria-hidden="true"
        />
        {slots.map(({ slot, kind }) => (
          <SlotBar key={`${kind}${slot.run_id}`} slot={slot} kind={kind} span={span} />
        ))}
      </ul>
    </>
  );
}

function LaneHead({ agent }: { readonly agent: QueueAgent }): ReactElement {
  const mayEdit = useMay('editor');
  const queries = useQueryClient();
  const drain = useMutation({
    mutationFn: (is_draining: boolean) => patchAgent(agent.id, { is_draining }),
    onError: (error) => showFailure(`${agent.name} could not be changed`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: queueQuery.queryKey }),
  });
  return (
    <Group gap={6} wrap="nowrap" className="timeline-head">
      <Text size="sm" fw={550} truncate title={agent.name}>
        {agent.name}
      </Text>
      <Badge size="xs" variant="default" tt="none">
        {agent.lease_state ?? agent.state.replace('_', ' ')}
      </Badge>
      <Switch
        size="xs"
        label="Drain"
        aria-label={`Drain ${agent.name}: finish the trial under way, take no more`}
        checked={drain.isPending ? drain.variables : agent.is_draining}
        disabled={!mayEdit}
        onChange={(event) => drain.mutate(event.currentTarget.checked)}
      />
    </Group>
  );
}

interface SlotBarProps {
  readonly slot: TimelineSlot;
  readonly kind: 'ran' | 'runs' | 'planned';
  readonly span: TimelineSpan;
}

function SlotBar({ slot, kind, span }: SlotBarProps): ReactElement | null {
  const place = placeOf(slot, span);
  if (!place) return null;
  const [from, to] = [new Date(slot.starts_at), new Date(slot.ends_at)];
  const took = formatDuration((to.getTime() - from.getTime()) / 1000);
  const words = `${slot.run_name}: ${kind === 'ran' ? slot.status : kind === 'runs' ? 'runs now' : 'planned'}, ${countNoun(slot.trial_count, 'trial')}, ${exactTime(from)}, ${kind === 'ran' ? '' : 'about '}${took}`;
  return (
    <li style={{ left: `${place.left * 100}%`, width: `${place.width * 100}%` }}>
      <Tooltip label={words} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <TextLink
          to="/runs/$runId"
          params={{ runId: slot.run_id }}
          className="timeline-slot"
          data-kind={kind}
          data-status={slot.status}
          aria-label={words}
          underline="never"
        >
          {slot.run_name}
        </TextLink>
      </Tooltip>
    </li>
  );
}
