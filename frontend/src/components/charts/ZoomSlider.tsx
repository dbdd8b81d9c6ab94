import { Button, Group, RangeSlider, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Zoom } from './model';

interface ZoomSliderProps {
  /** The x values there are, ascending. */
  readonly values: readonly number[];
  readonly zoom: Zoom | null;
  readonly onZoom: (zoom: Zoom | null) => void;
  readonly label: string;
  /** How a value is said. */
  readonly format?: (value: number) => string;
}

/** The brush: the same range as dragging over a chart, by mouse, touch or arrow keys. Needs three values or more. */
export function ZoomSlider({ values, zoom, onZoom, label, format }: ZoomSliderProps): ReactElement | null {
  const last = values.length - 1;
  if (last < 2) return null;
  const [from, to] = indexRange(values, zoom);
  const choose = ([start, end]: [number, number]) => {
    const first = values[start];
    const final = values[end];
    if (first === undefined || final === undefined || first >= final) return;
    onZoom(start === 0 && end === last ? null : [first, final]);
  };
  return (
    <Group gap="sm" wrap="nowrap" px={4}>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        Zoom {label}
      </Text>
      <RangeSlider
        style={{ flex: 1 }}
        size="xs"
        min={0}
        max={last}
        step={1}
        minRange={1}
        value={[from, to]}
        onChange={choose}
        label={(index) => textOf(values[index], format)}
        thumbFromLabel={`First ${label}`}
        thumbToLabel={`Last ${label}`}
      />
      <Button size="compact-xs" variant="default" disabled={!zoom} onClick={() => onZoom(null)}>
        Show all
      </Button>
    </Group>
  );
}

function textOf(value: number | undefined, format?: (value: number) => string): string {
  if (value === undefined) return '';
  return format ? format(value) : String(value);
}

/** The values inside the zoom; both ends stand apart even when a drag caught only one value. */
export function indexRange(values: readonly number[], zoom: Zoom | null): [number, number] {
  const last = values.length - 1;
  if (!zoom) return [0, last];
  const first = values.findIndex((value) => value >= zoom[0]);
  const final = values.findLastIndex((value) => value <= zoom[1]);
  const from = Math.min(first < 0 ? last - 1 : first, last - 1);
  return [from, Math.max(final, from + 1)];
}
