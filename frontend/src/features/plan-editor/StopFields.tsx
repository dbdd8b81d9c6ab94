import { Group, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { PlanNumber } from './PlanNumber';

type Stop = PlanDefinition['stop'];
type Unit = 'seconds' | 'operations' | 'operations_per_connection' | 'steady' | 'none';

const FIRST: Readonly<Record<Exclude<Unit, 'none'>, Stop>> = {
  seconds: { seconds: 5 },
  operations: { operations: 100_000 },
  operations_per_connection: { operations_per_connection: 10_000 },
  steady: { steady: { variation_max: 0.05, window_s: 10, max_seconds: 300 } },
};
const UNITS: readonly { value: Unit; label: string; short: string }[] = [
  { value: 'seconds', label: 'seconds', short: 's' },
  { value: 'operations', label: 'operations', short: 'ops' },
  { value: 'operations_per_connection', label: 'operations of each connection', short: 'ops each' },
];
const OF_WARMUPS: readonly { value: Unit; label: string; short: string }[] = [
  { value: 'steady', label: 'until it is steady', short: 'at most, s' },
  { value: 'none', label: 'off', short: '' },
];

interface StopFieldsProps {
  readonly label: string;
  readonly path: string;
  readonly stop: Stop | null;
  /** A warm-up may be left out, or last until throughput is steady. */
  readonly isWarmup?: boolean;
  readonly onChange: (stop: Stop | null) => void;
}

/** After how long, or how many operations, a phase ends. */
export function StopFields({ label, path, stop, isWarmup, onChange }: StopFieldsProps): ReactElement {
  const unit = unitOf(stop);
  const units = isWarmup ? [...UNITS, ...OF_WARMUPS] : UNITS;
  const short = units.find(({ value }) => value === unit)?.short ?? '';
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap" className="stop-fields">
      <PlanNumber
        path={path}
        label={short ? `${label} (${short})` : label}
        value={limitOf(stop, unit)}
        disabled={unit === 'none'}
        onChange={(value) => onChange(withValue(stop, unit, value))}
      />
      <Select
        size="xs"
        aria-label={`${label} ends after`}
        allowDeselect={false}
        data={units.map(({ value, label: title }) => ({ value, label: title }))}
        value={unit}
        onChange={(next) => onChange(next === 'none' || next === null ? null : FIRST[next as 'seconds'])}
      />
    </Group>
  );
}

function unitOf(stop: Stop | null): Unit {
  if (stop === null) return 'none';
  if (stop.steady) return 'steady';
  if (typeof stop.operations_per_connection === 'number') return 'operations_per_connection';
  return typeof stop.operations === 'number' ? 'operations' : 'seconds';
}

function limitOf(stop: Stop | null, unit: Unit): number | null | undefined {
  if (unit === 'none') return null;
  return unit === 'steady' ? stop?.steady?.max_seconds : stop?.[unit];
}

function withValue(stop: Stop | null, unit: Unit, value: number): Stop | null {
  if (unit === 'none') return null;
  if (unit === 'steady' && stop?.steady) return { steady: { ...stop.steady, max_seconds: value } };
  return { [unit]: value };
}
