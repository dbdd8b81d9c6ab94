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
  readonly mayReplay: boolean;
  readonly onLoad: (load: OpenLoad) => void;
}

/** How fast requests arrive, whether that changes over time, and how evenly. */
export function ArrivalFields({ load, mayReplay, onLoad }: ArrivalFieldsProps): ReactElement {
  const choose = (how: string) =>
    how === 'profile'
      ? onLoad({ ...load, rate_per_s: null, rate: FIRST_PROFILE })
      : onLoad({ ...load, rate_per_s: FIRST_RATE_PER_S, rate: null });
  return (
    <Stack gap="xs">
      <Evenness load={load} mayReplay={mayReplay} onLoad={onLoad} />
      {load.arrivals !== 'recorded' && (
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
          {!load.rate && (
            <PlanNumber
              path="load.rate_per_s"
              label="Rate (ops/s)"
              value={load.rate_per_s}
              onChange={(rate_per_s) => onLoad({ ...load, rate_per_s })}
            />
          )}
        </Group>
      )}
      {load.rate && <RateProfileFields profile={load.rate} onChange={(rate) => onLoad({ ...load, rate })} />}
    </Stack>
  );
}

const EVENNESS = [
  { value: 'poisson', label: 'Poisson' },
  { value: 'constant', label: 'Constant' },
  { value: 'bursty', label: 'Bursts' },
];
const RECORDED = { value: 'recorded', label: 'As recorded' };

function Evenness({ load, mayReplay, onLoad }: ArrivalFieldsProps): ReactElement {
  const choose = (arrivals: string) => onLoad(withArrivals(load, arrivals as OpenLoad['arrivals']));
  return (
    <Group align="flex-end" gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Arrivals"
        value={load.arrivals}
        onChange={choose}
        data={mayReplay || load.arrivals === 'recorded' ? [...EVENNESS, RECORDED] : EVENNESS}
      />
      {load.arrivals === 'bursty' && (
        <PlanNumber
          path="load.burst_size"
          label="Requests at once"
          value={load.burst_size}
          onChange={(burst_size) => onLoad({ ...load, burst_size })}
        />
      )}
      {load.arrivals === 'recorded' && (
        <PlanNumber
          path="load.speed"
          label="Times as fast"
          placeholder="1"
          value={load.speed}
          onChange={(speed) => onLoad({ ...load, speed: speed || null })}
        />
      )}
    </Group>
  );
}

/** The trace itself says how fast: then there is no rate, and a speed only then. */
function withArrivals(load: OpenLoad, arrivals: OpenLoad['arrivals']): OpenLoad {
  const burst_size = arrivals === 'bursty' ? (load.burst_size ?? FIRST_BURST) : null;
  if (arrivals === 'recorded') return { ...load, arrivals, burst_size, rate: null, rate_per_s: null };
  const rate_per_s = load.rate ? null : (load.rate_per_s ?? FIRST_RATE_PER_S);
  return { ...load, arrivals, burst_size, speed: null, rate_per_s };
}
