import { Chip, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { formatSteps, readSteps } from './connection-steps';
import { useRefusal } from './findings';
import { PlanNumber } from './PlanNumber';

type Load = PlanDefinition['load'];
type Failure = NonNullable<Load['retries']>['on'][number];

const FAILURES: readonly { value: Failure; label: string }[] = [
  { value: 'timeout', label: 'time-out' },
  { value: 'connection_lost', label: 'connection lost' },
  { value: 'refused', label: 'refused' },
];

interface ConnectionFieldsProps {
  readonly load: Load;
  readonly onLoad: (load: Load) => void;
}

/** How long connections live, how many there are over time, and what is sent again. */
export function ConnectionFields({ load, onLoad }: ConnectionFieldsProps): ReactElement {
  return (
    <Stack gap="xs">
      <SimpleGrid cols={2} spacing="xs">
        <PlanNumber
          path="load.requests_per_connection"
          label="Requests per connection"
          placeholder="connections are kept"
          value={load.requests_per_connection}
          onChange={(count) => onLoad({ ...load, requests_per_connection: count || null })}
        />
        <PlanNumber
          path="load.churn_per_s"
          label="Opened anew (per s)"
          placeholder="none"
          value={load.churn_per_s}
          onChange={(churn) => onLoad({ ...load, churn_per_s: churn || null })}
        />
      </SimpleGrid>
      {load.kind === 'closed' && <StepsField load={load} onLoad={onLoad} />}
      <RetryFields load={load} onLoad={onLoad} />
    </Stack>
  );
}

interface StepsFieldProps {
  readonly load: Extract<Load, { kind: 'closed' }>;
  readonly onLoad: (load: Load) => void;
}

function StepsField({ load, onLoad }: StepsFieldProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const refusal = useRefusal('load.connection_steps');
  const read = readSteps(typed ?? '');
  const write = (text: string) => {
    setTyped(text);
    const { steps } = readSteps(text);
    if (steps) onLoad({ ...load, connection_steps: steps });
  };
  return (
    <SimpleGrid cols={2} spacing="xs">
      <TextInput
        size="xs"
        label="Connections over time"
        description="Connections, seconds each."
        placeholder="4 for 10, 16 for 10"
        value={typed ?? formatSteps(load.connection_steps ?? [])}
        error={refusal ?? (typed === null ? undefined : read.problem)}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
      <PlanNumber
        path="load.think_time_us"
        label="Think time (µs)"
        description="Before each request."
        value={load.think_time_us}
        onChange={(think_time_us) => onLoad({ ...load, think_time_us })}
      />
    </SimpleGrid>
  );
}

const MOST_ATTEMPTS = 3;

function RetryFields({ load, onLoad }: ConnectionFieldsProps): ReactElement {
  const { retries } = load;
  const choose = (chosen: string[]) => {
    const on = FAILURES.map(({ value }) => value).filter((value) => chosen.includes(value));
    onLoad({
      ...load,
      retries: on.length > 0 ? { attempts: retries?.attempts ?? MOST_ATTEMPTS, on } : null,
    });
  };
  return (
    <Group gap="xs" align="flex-end">
      <Chip.Group multiple value={retries?.on ?? []} onChange={choose}>
        <Group gap={4} role="group" aria-label="Sent again after">
          {FAILURES.map(({ value, label }) => (
            <Chip key={value} size="xs" value={value} variant="outline">
              retry after {label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {retries && (
        <PlanNumber
          path="load.retries.attempts"
          label="Attempts at most"
          value={retries.attempts}
          onChange={(attempts) => onLoad({ ...load, retries: { ...retries, attempts } })}
        />
      )}
    </Group>
  );
}
