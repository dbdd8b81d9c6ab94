import { Group, SegmentedControl, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { PlanNumber } from './PlanNumber';
import { FIRST_PROFILE, RateProfileFields } from './RateProfileFields';

export type OpenLoad = Extract<PlanDefinition['load'], { kind: 'open' }>;

export const FIRST_RATE_PER_S = 10_000;
const FIRST_BURST = 10;

interface ArrivalFieldsProps {
  readonly load: OpenLoad;
  readonly onLoad: (load: OpenLoad) => void;
}

/** How fast requests arrive, whether that changes over time, and how evenly. */
export function ArrivalFields({ load, onLoad }: ArrivalFieldsProps): ReactElement {
  const choose = (how: string) =>
    how === 'profile'
      ? onLoad({ ...load, rate_per_s: null, rate: FIRST_PROFILE })
      : onLoad({ ...load, rate_per_s: FIRST_RATE_PER_S, rate: null });
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="Rate"
          value={load.rate ? 'profile' : 'one'}
          onChange={choose}
          data={[
            { value: 'one', label: 'One rate' },
            { value: 'profile', label: 'Over time' },
          ]}
        />
        {!load.rate && load.arrivals !== 'recorded' && (
          <PlanNumber
            path="load.rate_per_s"
            label="Rate (ops/s)"
            value={load.rate_per_s}
            onChange={(rate_per_s) => onLoad({ ...load, rate_per_s })}
          />
        )}
      </Group>
      {load.rate && <RateProfileFields profile={load.rate} onChange={(rate) => onLoad({ ...load, rate })} />}
      <Evenness load={load} onLoad={onLoad} />
    </Stack>
  );
}

const EVENNESS = [
  { value: 'poisson', label: 'Poisson' },
  { value: 'constant', label: 'Constant' },
  { value: 'bursty', label: 'Bursts' },
];
/** A trace has no field of its own here: it is named in the plan's text. */
const RECORDED = { value: 'recorded', label: 'Recorded' };

function Evenness({ load, onLoad }: ArrivalFieldsProps): ReactElement {
  const choose = (arrivals: string) =>
    onLoad({
      ...load,
      arrivals: arrivals as OpenLoad['arrivals'],
      burst_size: arrivals === 'bursty' ? (load.burst_size ?? FIRST_BURST) : null,
    });
  return (
    <Group align="flex-end" gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Arrivals"
        value={load.arrivals}
        onChange={choose}
        data={load.arrivals === 'recorded' ? [...EVENNESS, RECORDED] : EVENNESS}
      />
      {load.arrivals === 'bursty' && (
        <PlanNumber
          path="load.burst_size"
          label="Requests at once"
          value={load.burst_size}
          onChange={(burst_size) => onLoad({ ...load, burst_size })}
        />
      )}
    </Group>
  );
}
