import { Chip, Group, SegmentedControl, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { parameterTitle } from '@/lib/parameters';
import { type CurveView, type NumericAxis, PERCENTILES, type Percentile, type Selection } from './selection';
import { percentileTitle } from './shape';

interface CurveControlsProps {
  readonly axes: readonly NumericAxis[];
  readonly operations: readonly string[];
  readonly selection: Selection;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** Which operation, which clock, which percentiles, over which axis. */
export function CurveControls({
  axes,
  operations,
  selection,
  view,
  onView,
}: CurveControlsProps): ReactElement {
  return (
    <Group gap="sm" align="center" role="group" aria-label="What the curves show">
      {axes.length > 1 && (
        <Select
          size="xs"
          w={170}
          aria-label="Axis"
          allowDeselect={false}
          data={axes.map(({ parameter }) => ({
            value: parameter,
            label: `over ${parameterTitle(parameter)}`,
          }))}
          value={selection.axis.parameter}
          onChange={(axis) => onView({ axis: axis ?? undefined, zoom: undefined })}
        />
      )}
      {selection.others.map((other) => (
        <OtherAxis key={other.parameter} axis={other} view={view} onView={onView} />
      ))}
      {operations.length > 2 && (
        <SegmentedControl
          size="xs"
          aria-label="Operation"
          data={operations.map((operation) => ({
            value: operation,
            label: operation === 'all' ? 'all operations' : operation,
          }))}
          value={selection.operation}
          onChange={(op) => onView({ op: op === 'all' ? undefined : op })}
        />
      )}
      <ClockChoice selection={selection} onView={onView} />
      <PercentileChoice selection={selection} onView={onView} />
    </Group>
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

const SIDE_BY_SIDE = 'split';

interface OtherAxisProps {
  readonly axis: Selection['others'][number];
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** A further axis: one of its values, or all of them side by side. */
function OtherAxis({ axis, view, onView }: OtherAxisProps): ReactElement {
  const title = parameterTitle(axis.parameter);
  const choose = (value: string | null) => {
    if (value === SIDE_BY_SIDE) onView({ split: axis.parameter });
    else
      onView({
        split: view.split === axis.parameter ? undefined : view.split,
        at: { ...view.at, [axis.parameter]: Number(value) },
      });
  };
  return (
    <Select
      size="xs"
      w={180}
      aria-label={title}
      allowDeselect={false}
      data={[
        ...axis.values.map((value) => ({ value: String(value), label: `${title} ${value}` })),
        { value: SIDE_BY_SIDE, label: `every ${title}, side by side` },
      ]}
      value={axis.chosen === null ? SIDE_BY_SIDE : String(axis.chosen)}
      onChange={choose}
    />
  );
}
