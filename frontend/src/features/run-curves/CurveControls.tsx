import { Chip, Group, SegmentedControl, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { AxisControls } from './AxisControls';
import { type CurveMetric, OVERVIEW, percentileTitle, TIMES } from './metrics';
import { type CurveAxis, type CurveView, PERCENTILES, type Percentile, type Selection } from './selection';

interface CurveControlsProps {
  readonly axes: readonly CurveAxis[];
  readonly operations: readonly string[];
  readonly metrics: readonly CurveMetric[];
  /** `overview`, or one of the metrics. */
  readonly metric: string;
  readonly base: string | null;
  readonly selection: Selection;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** Which metric of which operation, over which axis, absolute or as a ratio. */
export function CurveControls(props: CurveControlsProps): ReactElement {
  const { axes, operations, metric, selection, view, onView } = props;
  const hasTimes = metric === OVERVIEW || metric === TIMES;
  return (
    <Group gap="sm" align="center" role="group" aria-label="What the curves show">
      <MetricChoice {...props} />
      <AxisControls axes={axes} selection={selection} view={view} onView={onView} />
      <BaseChoice {...props} />
      {operations.length > 2 && <OperationChoice {...props} />}
      {hasTimes && <ClockChoice selection={selection} onView={onView} />}
      {hasTimes && <PercentileChoice selection={selection} onView={onView} />}
    </Group>
  );
}

function MetricChoice({ metrics, metric, onView }: CurveControlsProps): ReactElement {
  return (
    <Select
      size="xs"
      w={290}
      aria-label="Metric"
      allowDeselect={false}
      data={[
        { value: OVERVIEW, label: 'Throughput and response time' },
        ...metrics.map(({ name, title }) => ({
          value: name,
          label: name === TIMES ? 'Response time, percentiles' : title,
        })),
      ]}
      value={metric}
      onChange={(chosen) => onView({ metric: chosen ?? undefined })}
    />
  );
}

const ABSOLUTE = 'none';

/** Hardware differs: a ratio to one line compares where values do not. */
function BaseChoice({ selection, base, onView }: CurveControlsProps): ReactElement | null {
  if (selection.lines.length < 2) return null;
  return (
    <Select
      size="xs"
      w={240}
      aria-label="Values"
      allowDeselect={false}
      data={[
        { value: ABSOLUTE, label: 'absolute values' },
        ...selection.lines.map((line) => ({ value: `=${line}`, label: `ratio to ${line}` })),
      ]}
      value={base === null ? ABSOLUTE : `=${base}`}
      onChange={(chosen) => onView({ norm: chosen?.startsWith('=') ? chosen.slice(1) : ABSOLUTE })}
    />
  );
}

/** More do not fit side by side. */
const MOST_SEGMENTS = 5;

function OperationChoice({ operations, selection, onView }: CurveControlsProps): ReactElement {
  const data = operations.map((operation) => ({
    value: operation,
    label: operation === 'all' ? 'all operations' : operation,
  }));
  const choose = (op: string | null) => onView({ op: op === null || op === 'all' ? undefined : op });
  if (operations.length > MOST_SEGMENTS) {
    return (
      <Select
        size="xs"
        w={170}
        aria-label="Operation"
        allowDeselect={false}
        data={data}
        value={selection.operation}
        onChange={choose}
      />
    );
  }
  return (
    <SegmentedControl
      size="xs"
      aria-label="Operation"
      data={data}
      value={selection.operation}
      onChange={choose}
    />
  );
}

type ChoiceProps = Pick<CurveControlsProps, 'selection' | 'onView'>;

function ClockChoice({ selection, onView }: ChoiceProps): ReactElement {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Clock"
      data={[
        { value: 'response', label: 'Response time' },
        { value: 'service', label: 'Service time' },
      ]}
      value={selection.clock === 'service_time_ns' ? 'service' : 'response'}
      onChange={(time) => onView({ time: time === 'service' ? 'service' : undefined })}
    />
  );
}

function PercentileChoice({ selection, onView }: ChoiceProps): ReactElement {
  return (
    <Chip.Group
      multiple
      value={[...selection.percentiles]}
      onChange={(chosen) => onView({ pct: percentiles(chosen) })}
    >
      <Group gap={4} role="group" aria-label="Percentiles">
        {PERCENTILES.map((name) => (
          <Chip key={name} size="xs" value={name} variant="outline">
            {percentileTitle(name)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** The last one stays: a chart of nothing helps nobody. */
function percentiles(chosen: readonly string[]): Percentile[] | undefined {
  const known = PERCENTILES.filter((name) => chosen.includes(name));
  return known.length === 0 || (known.length === 1 && known[0] === 'p99') ? undefined : known;
}
