import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { Disclosure } from '@/components/Disclosure';
import { ArrivalFields, FIRST_RATE_PER_S } from './ArrivalFields';
import { ConnectionFields } from './ConnectionFields';
import { FieldFindings } from './findings';
import { PlanNumber } from './PlanNumber';

type Load = PlanDefinition['load'];

interface LoadFieldsProps {
  readonly load: Load;
  /** A workload's own load has the plan's threads. */
  readonly threads?: number;
  /** Whether there is a trace whose arrivals could be repeated. */
  readonly mayReplay: boolean;
  readonly onLoad: (load: Load) => void;
  readonly onThreads?: (threads: number) => void;
}

export function LoadFields({ load, threads, mayReplay, onLoad, onThreads }: LoadFieldsProps): ReactElement {
  const choose = (kind: string) => {
    const { connections, pipeline } = load;
    if (kind === 'open')
      onLoad({ kind, connections, pipeline, rate_per_s: FIRST_RATE_PER_S, arrivals: 'poisson' });
    else onLoad({ kind: 'closed', connections, pipeline, think_time_us: 0, gather_replies: false });
  };
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Load"
        value={load.kind}
        onChange={choose}
        data={[
          { value: 'closed', label: 'Closed loop' },
          { value: 'open', label: 'Open loop' },
        ]}
      />
      <Text size="xs" c="dimmed">
        {load.kind === 'closed'
          ? 'Each connection waits for its answer before it asks again: how fast can it go?'
          : 'Requests arrive at a rate, whether answered or not: how late are answers at this rate?'}
      </Text>
      <SimpleGrid cols={3} spacing="xs">
        <PlanNumber
          path="load.connections"
          label="Connections"
          value={load.connections}
          onChange={(connections) => onLoad({ ...load, connections })}
        />
        <PlanNumber
          path="load.pipeline"
          label="Pipeline"
          value={load.pipeline}
          onChange={(pipeline) => onLoad({ ...load, pipeline })}
        />
        {onThreads && <PlanNumber path="threads" label="Threads" value={threads} onChange={onThreads} />}
      </SimpleGrid>
      {load.kind === 'open' && <ArrivalFields load={load} mayReplay={mayReplay} onLoad={onLoad} />}
      <Disclosure title="Life of connections, think time, retries" set={whatIsSet(load)}>
        <ConnectionFields load={load} onLoad={onLoad} />
      </Disclosure>
      <FieldFindings path="load" onlyWarnings />
    </Stack>
  );
}

function whatIsSet(load: Load): string[] {
  const isClosed = load.kind === 'closed';
  return [
    ...(load.requests_per_connection ? ['requests per connection'] : []),
    ...(load.churn_per_s ? ['connections opened anew'] : []),
    ...(isClosed && load.connection_steps?.length ? ['connections over time'] : []),
    ...(isClosed && load.think_time_us ? ['think time'] : []),
    ...(load.retries ? ['retries'] : []),
  ];
}
