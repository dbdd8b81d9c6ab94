import { Badge, Button, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Agent, agentsQuery, patchAgent, revokeAgent } from '@/api/agents';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { TextLink } from '@/components/links';
import { showFailure } from '@/components/notices';
import { RelativeTime } from '@/components/RelativeTime';
import { AgentInventory, AgentLoad, AgentOffers } from './AgentFacts';
import { AgentStateChip } from './AgentStateChip';

export function AgentCard({ agent }: { readonly agent: Agent }): ReactElement {
  const mayEdit = useMay('editor');
  return (
    <Paper withBorder p="md" component="article" aria-label={`Agent ${agent.name}`}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" className="run-name">
            {agent.name}
          </Title>
          <AgentStateChip state={agent.state} />
        </Group>
        <CurrentWork agent={agent} />
        <AgentLoad
          load={agent.load}
          cpuCount={agent.inventory?.cpu_count}
          memoryBytes={agent.inventory?.memory_bytes}
        />
        <AgentInventory inventory={agent.inventory} />
        <AgentOffers stores={agent.stores} engines={agent.engines} />
        <Labels labels={agent.labels} />
        <Text size="xs" c="dimmed">
          Last heard of <RelativeTime at={agent.last_heartbeat_at} />
          {agent.agent_version && `, version ${agent.agent_version}`}
        </Text>
        {mayEdit && <CardActions agent={agent} />}
      </Stack>
    </Paper>
  );
}

function CurrentWork({ agent }: { readonly agent: Agent }): ReactElement {
  if (!agent.current) {
    return (
      <Text size="sm" c="dimmed">
        Runs nothing now.
      </Text>
    );
  }
  const { run_id, run_name, trial_id } = agent.current;
  return (
    <Text size="sm">
      Runs{' '}
      <TextLink to="/runs/$runId" params={{ runId: run_id }} search={{ tab: 'trials', detail: trial_id }}>
        {run_name}
      </TextLink>
    </Text>
  );
}

function Labels({ labels }: { readonly labels: Agent['labels'] }): ReactElement | null {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <Group gap={4}>
      {entries.map(([name, value]) => (
        <Badge key={name} variant="default" tt="none" fw={500}>
          {name}={value}
        </Badge>
      ))}
    </Group>
  );
}

function CardActions({ agent }: { readonly agent: Agent }): ReactElement {
  const isAdmin = useMay('admin');
  const [isAsking, ask] = useDisclosure(false);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: agentsQuery.queryKey });
  const drain = useMutation({
    mutationFn: (is_draining: boolean) => patchAgent(agent.id, { is_draining }),
    onError: (error) => showFailure(`${agent.name} could not be changed`, error),
    onSettled: refresh,
  });
  const revoke = useMutation({
    mutationFn: () => revokeAgent(agent.id),
    onError: (error) => showFailure(`${agent.name} could not be revoked`, error),
    onSettled: () => {
      ask.close();
      return refresh();
    },
  });
  return (
    <Group justify="space-between">
      <Switch
        size="sm"
        label="Drain"
        description="Finish the trial under way, take no more"
        checked={drain.isPending ? drain.variables : agent.is_draining}
        onChange={(event) => drain.mutate(event.currentTarget.checked)}
      />
      {isAdmin && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={ask.open}>
          Revoke
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Revoke ${agent.name}?`}
        confirmLabel="Revoke the agent"
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
        onClose={ask.close}
      >
        Its token stops working at once. A trial that it executes now is lost and attempted again elsewhere.
        What it has measured stays. To bring the host back, enroll it anew.
      </ConfirmDialog>
    </Group>
  );
}
