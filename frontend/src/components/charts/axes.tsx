import type { ReactElement } from 'react';
import { XAxis, YAxis } from 'recharts';
import type { ChartAxis } from './model';
import { NameTick } from './NameTick';
import { nameHeight } from './name-lines';
import { axisTitle, tickFormat } from './quantity';
import { type AxisScale, axisUnit, logScale, roundScale } from './scale';

export const Y_AXIS_PX = 62;

/**
 * Functions, not components: Recharts looks at the types of its children.
 * @param roomPx from one name to the next, on an axis of names
 */
export function xAxisOf(axis: ChartAxis, { domain, ticks }: AxisScale, roomPx = 0): ReactElement {
  const unit = axisUnit(axis.quantity, domain[1]);
  return (
    <XAxis
      dataKey="x"
      type="number"
      scale={axis.isLog ? 'log' : 'linear'}
      domain={domain}
      ticks={ticks}
      allowDataOverflow
      tickFormatter={tickFormat(axis.quantity, unit, domain)}
      // Names say themselves what they are.
      {...(axis.names
        ? {
            tick: <NameTick names={axis.names} roomPx={roomPx} />,
            height: nameHeight(axis.names, roomPx),
          }
        : {
            label: {
              value: axisTitle(axis.title, unit),
              position: 'insideBottom',
              offset: -12,
              className: 'chart-axis-title',
            },
          })}
      minTickGap={4}
      interval={axis.names ? 0 : 'preserveStartEnd'}
    />
  );
}

export function yAxisOf(axis: ChartAxis, values: readonly number[], dataKey?: string): ReactElement {
  const { domain, ticks } = axis.isLog
    ? logScale(values)
    : roundScale(axis.quantity, values, { fromZero: axis.fromZero ?? true });
  const unit = axisUnit(axis.quantity, axis.isLog ? Math.sqrt(domain[0] * domain[1]) : domain[1] / 2);
  return (
    <YAxis
      type="number"
      dataKey={dataKey}
      scale={axis.isLog ? 'log' : 'linear'}
      domain={domain}
      ticks={ticks}
      allowDataOverflow
      // Few enough to stand all: Recharts would drop any, the 1 of a ratio among them.
      interval={0}
      width={Y_AXIS_PX}
      tickFormatter={tickFormat(axis.quantity, unit, domain)}
      label={{
        value: axisTitle(axis.title, unit),
        angle: -90,
        position: 'insideLeft',
        offset: -4,
        style: { textAnchor: 'middle' },
        className: 'chart-axis-title',
      }}
    />
  );
}
