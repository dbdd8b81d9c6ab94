import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { describeParameter, parameterTitle } from '@/lib/parameters';
import type { AxisValue, CurveAxis, CurveView, OtherAxis, Selection } from './selection';

interface AxisControlsProps {
  readonly axes: readonly CurveAxis[];
  readonly selection: Selection;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** Which axis is x, which are lines, and what becomes of the others: bound to a value, or side by side. */
export function AxisControls({ axes, selection, view, onView }: AxisControlsProps): ReactElement {
  const { axis, lineAxis, others } = selection;
  const free = axes.filter(({ parameter }) => parameter !== axis.parameter);
  return (
    <>
      {axes.filter(({ values }) => values.length > 1).length > 1 && (
        <Select
          size="xs"
          w={190}
          aria-label="Axis"
          allowDeselect={false}
          data={axes.map(({ parameter }) => ({
            value: parameter,
            label: `over ${parameterTitle(parameter)}`,
          }))}
          value={axis.parameter}
          onChange={(chosen) => onView({ axis: chosen ?? undefined, zoom: undefined })}
        />
      )}
      {free.length > 1 && (
        <Select
          size="xs"
          w={210}
          aria-label="Lines"
          allowDeselect={false}
          data={free.map(({ parameter }) => ({
            value: parameter,
            label: `a line for each ${parameterTitle(parameter)}`,
          }))}
          value={lineAxis.parameter}
          onChange={(line) => onView({ line: line ?? undefined, hide: undefined, norm: undefined })}
        />
      )}
      {others
        .filter(({ values }) => values.length > 1)
        .map((other) => (
          <OtherChoice key={other.parameter} axis={other} view={view} onView={onView} />
        ))}
    </>
  );
}

const SIDE_BY_SIDE = 'split';

interface OtherChoiceProps {
  readonly axis: OtherAxis;
  readonly view: CurveView;
  readonly onView: (patch: Partial<CurveView>) => void;
}

/** A further axis: one of its values, or all of them side by side. */
function OtherChoice({ axis, view, onView }: OtherChoiceProps): ReactElement {
  const { parameter, values, chosen } = axis;
  const title = parameterTitle(parameter);
  const choose = (text: string | null) => onView(boundTo(axis, view, text));
  return (
    <Select
      size="xs"
      w={225}
      aria-label={title}
      allowDeselect={false}
      data={[
        ...values.map((value) => ({ value: `=${value}`, label: describeParameter(parameter, value) })),
        { value: SIDE_BY_SIDE, label: `every ${title}, side by side` },
      ]}
      value={chosen === null ? SIDE_BY_SIDE : `=${chosen}`}
      onChange={choose}
    />
  );
}

function boundTo({ parameter, values }: OtherAxis, view: CurveView, text: string | null): Partial<CurveView> {
  const others = (view.split ?? []).filter((one) => one !== parameter);
  const { [parameter]: _, ...at } = view.at ?? {};
  if (text === SIDE_BY_SIDE) return { split: [...others, parameter], at: orNothing(at) };
  const value: AxisValue | undefined = values.find((one) => `=${one}` === text);
  if (value === undefined) return {};
  return { split: others.length > 0 ? others : undefined, at: { ...at, [parameter]: value } };
}

function orNothing(at: Record<string, AxisValue>): Record<string, AxisValue> | undefined {
  return Object.keys(at).length > 0 ? at : undefined;
}
