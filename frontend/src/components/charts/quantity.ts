import { formatBytes, formatDuration, formatNs, formatNumber, formatPercent, formatRate } from '@/lib/format';
import type { AxisUnit, Quantity } from './scale';
import { formatInstant, formatInstantTick } from './time-scale';

/** A value with its unit, for tooltips, tables and sentences. */
export function formatQuantity(value: number | null | undefined, quantity: Quantity): string {
  if (value === null || value === undefined) return '–';
  if (quantity === 'rate') return `${formatRate(value)} ops/s`;
  if (quantity === 'frequency') return `${formatRate(value)}/s`;
  if (quantity === 'duration') return formatNs(value);
  if (quantity === 'seconds') return formatDuration(value);
  if (quantity === 'share') return formatPercent(value);
  if (quantity === 'time') return formatInstant(value);
  if (quantity === 'nines') return formatNines(value);
  if (quantity === 'bytes') return formatBytes(value);
  if (quantity === 'ratio') return `${formatNumber(value)}×`;
  return formatNumber(value, Number.isInteger(value) ? 6 : 3);
}

/** 1 / (1 - quantile) as a percentile: 1000 is 99.9 %. */
function formatNines(oneIn: number): string {
  const percent = 100 * (1 - 1 / oneIn);
  return `${Number(percent.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.max(oneIn, 1))) + 2)))} %`;
}

/** How ticks of an axis are written; the unit stands in the axis title. */
export function tickFormat(
  quantity: Quantity,
  { divisor }: AxisUnit,
  domain: readonly [number, number],
): (value: number) => string {
  if (quantity === 'time') return (value) => formatInstantTick(value, domain);
  if (quantity === 'nines') return formatNines;
  if (quantity === 'ratio') return (value) => `${formatNumber(value)}×`;
  return (value) => formatNumber(value / divisor, 4);
}

export function axisTitle(title: string, { unit }: AxisUnit): string {
  return unit === '' ? title : `${title} (${unit})`;
}
