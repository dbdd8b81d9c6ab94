import { formatDuration, formatNs, formatNumber, formatRate } from '@/lib/format';
import type { AxisUnit, Quantity } from './scale';

/** A value with its unit, for tooltips, tables and sentences. */
export function formatQuantity(value: number | null | undefined, quantity: Quantity): string {
  if (value === null || value === undefined) return '–';
  if (quantity === 'rate') return `${formatRate(value)} ops/s`;
  if (quantity === 'duration') return formatNs(value);
  if (quantity === 'seconds') return formatDuration(value);
  return formatNumber(value, 6);
}

/** A tick: the unit stands in the axis title. */
export function formatTick(value: number, { divisor }: AxisUnit): string {
  return formatNumber(value / divisor, 4);
}

export function axisTitle(title: string, { unit }: AxisUnit): string {
  return unit === '' ? title : `${title} (${unit})`;
}
