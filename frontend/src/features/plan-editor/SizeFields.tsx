import { FileButton, Group, Select, SimpleGrid, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { formatBytes } from '@/lib/format';
import { FieldFindings } from './findings';
import { PlanNumber } from './PlanNumber';
import { SmallButton } from './SmallButton';
import { extentOf, type Histogram, readHistogram, type ValueSize } from './size-histogram';

interface SizeFieldsProps {
  readonly label: string;
  /** JSON path in the plan. */
  readonly path: string;
  readonly size: ValueSize | null;
  /** What stands first in the list of kinds where a size may be left out. */
  readonly none?: string;
  readonly onChange: (size: ValueSize | null) => void;
}

const FIRST: Readonly<Record<ValueSize['kind'], (bytes: number) => ValueSize>> = {
  fixed: (bytes) => ({ kind: 'fixed', bytes }),
  uniform: (bytes) => ({ kind: 'uniform', min_bytes: bytes, max_bytes: bytes * 2 }),
  normal: (bytes) => ({
    kind: 'normal',
    mean_bytes: bytes,
    deviation_bytes: Math.ceil(bytes / 4),
    min_bytes: 1,
    max_bytes: bytes * 2,
  }),
  log_normal: (bytes) => ({
    kind: 'log_normal',
    median_bytes: bytes,
    sigma: 1,
    min_bytes: 1,
    max_bytes: bytes * 100,
  }),
  histogram: (bytes) => ({ kind: 'histogram', buckets: [{ min_bytes: bytes, max_bytes: bytes, weight: 1 }] }),
  facebook: () => ({ kind: 'facebook', max_bytes: 1_000_000 }),
};

const KINDS: readonly { value: ValueSize['kind']; label: string }[] = [
  { value: 'fixed', label: 'all the same' },
  { value: 'uniform', label: 'uniform' },
  { value: 'normal', label: 'normal' },
  { value: 'log_normal', label: 'log-normal' },
  { value: 'histogram', label: 'as counted, from a file' },
  { value: 'facebook', label: 'as at Facebook in 2012' },
];

const NONE = 'none';

/** How large values or keys are: one size, or how sizes are distributed. */
export function SizeFields({ label, path, size, none, onChange }: SizeFieldsProps): ReactElement {
  const choose = (kind: string | null) => {
    if (kind === null || kind === size?.kind) return;
    onChange(kind === NONE ? null : FIRST[kind as ValueSize['kind']](typicalOf(size)));
  };
  return (
    <div>
      <Group gap="xs" align="flex-end" wrap="nowrap" mb={4}>
        <Select
          size="xs"
          flex={1}
          label={label}
          data={[...(none === undefined ? [] : [{ value: NONE, label: none }]), ...KINDS]}
          value={size?.kind ?? NONE}
          allowDeselect={false}
          onChange={choose}
        />
        {size?.kind === 'fixed' && (
          <PlanNumber
            path={path}
            label="Bytes"
            value={size.bytes}
            onChange={(bytes) => onChange({ ...size, bytes })}
          />
        )}
      </Group>
      {size && size.kind !== 'fixed' && <Details path={path} size={size} onChange={onChange} />}
    </div>
  );
}

/** A size to begin with when another kind is chosen. */
function typicalOf(size: ValueSize | null): number {
  switch (size?.kind) {
    case 'fixed':
      return size.bytes;
    case 'uniform':
      return size.min_bytes;
    case 'normal':
      return Math.round(size.mean_bytes);
    case 'log_normal':
      return Math.round(size.median_bytes);
    case 'histogram':
      return Math.round(extentOf(size).mean);
    default:
      return size === null ? 16 : 100;
  }
}

const NUMBERS: Readonly<Partial<Record<ValueSize['kind'], readonly (readonly [string, string])[]>>> = {
  uniform: [
    ['min_bytes', 'From (B)'],
    ['max_bytes', 'To (B)'],
  ],
  normal: [
    ['mean_bytes', 'Mean (B)'],
    ['deviation_bytes', 'Deviation (B)'],
    ['min_bytes', 'At least (B)'],
    ['max_bytes', 'At most (B)'],
  ],
  log_normal: [
    ['median_bytes', 'Median (B)'],
    ['sigma', 'Sigma'],
    ['min_bytes', 'At least (B)'],
    ['max_bytes', 'At most (B)'],
  ],
  facebook: [['max_bytes', 'At most (B)']],
};

interface DetailsProps {
  readonly path: string;
  readonly size: ValueSize;
  readonly onChange: (size: ValueSize) => void;
}

function Details({ path, size, onChange }: DetailsProps): ReactElement {
  if (size.kind === 'histogram') return <HistogramFile path={path} size={size} onChange={onChange} />;
  const numbers = size as unknown as Readonly<Record<string, number>>;
  return (
    <SimpleGrid cols={2} spacing="xs">
      {(NUMBERS[size.kind] ?? []).map(([field, label]) => (
        <PlanNumber
          key={field}
          path={`${path}.${field}`}
          label={label}
          value={numbers[field]}
          onChange={(value) => onChange({ ...size, [field]: value } as ValueSize)}
        />
      ))}
    </SimpleGrid>
  );
}

interface HistogramFileProps {
  readonly path: string;
  readonly size: Histogram;
  readonly onChange: (size: ValueSize) => void;
}

function HistogramFile({ path, size, onChange }: HistogramFileProps): ReactElement {
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (file: File | null) => {
    if (!file) return;
    const found = readHistogram(await file.text());
    if ('problem' in found) return setProblem(found.problem);
    setProblem(null);
    onChange({ kind: 'histogram', buckets: found.buckets });
  };
  const { min, max, mean } = extentOf(size);
  return (
    <div>
      <Group gap="xs">
        <Text size="xs" c="dimmed" className="numbers">
          {size.buckets.length} {size.buckets.length === 1 ? 'range' : 'ranges'}, {formatBytes(min)} to{' '}
          {formatBytes(max)}, mean {formatBytes(mean)}
        </Text>
        <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={(file) => void read(file)}>
          {(props) => <SmallButton {...props}>Read a file</SmallButton>}
        </FileButton>
      </Group>
      <Text size="xs" c={problem ? 'var(--mantine-color-error)' : 'dimmed'}>
        {problem ?? 'Lines of min_bytes,max_bytes,weight. They become part of the plan.'}
      </Text>
      <FieldFindings path={path} />
    </div>
  );
}
