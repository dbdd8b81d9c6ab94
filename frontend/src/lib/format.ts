/** Numbers as a person reads them. Values come in base units: nanoseconds, bytes, operations per second, seconds. */

const MISSING = '–';

/** Three significant digits, no exponent: 12.4, 0.127, 1,240. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (Math.abs(value) >= 10 ** digits) return Math.round(value).toLocaleString('en-US');
  return value.toLocaleString('en-US', { maximumSignificantDigits: digits });
}

export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? MISSING : Math.round(value).toLocaleString('en-US');
}

interface Unit {
  readonly unit: string;
  readonly divisor: number;
}

const DURATION_UNITS: readonly Unit[] = [
  { unit: 's', divisor: 1e9 },
  { unit: 'ms', divisor: 1e6 },
  { unit: 'µs', divisor: 1e3 },
  { unit: 'ns', divisor: 1 },
];
const RATE_UNITS: readonly Unit[] = [
  { unit: 'M', divisor: 1e6 },
  { unit: 'k', divisor: 1e3 },
  { unit: '', divisor: 1 },
];
const BYTE_UNITS: readonly Unit[] = [
  { unit: 'GiB', divisor: 1024 ** 3 },
  { unit: 'MiB', divisor: 1024 ** 2 },
  { unit: 'KiB', divisor: 1024 },
  { unit: 'B', divisor: 1 },
];

function unitFor(value: number, units: readonly Unit[]): Unit {
  const fitting = units.find((candidate) => Math.abs(value) >= candidate.divisor);
  return fitting ?? units[units.length - 1] ?? { unit: '', divisor: 1 };
}

export function formatNs(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  const { unit, divisor } = unitFor(value, DURATION_UNITS);
  return `${formatNumber(value / divisor)} ${unit}`;
}

/** 12.4k, 1.27M: without the unit, which stands in the header. */
export function formatRate(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  const { unit, divisor } = unitFor(value, RATE_UNITS);
  return `${formatNumber(value / divisor)}${unit}`;
}

export function formatBytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  const { unit, divisor } = unitFor(value, BYTE_UNITS);
  return `${formatNumber(value / divisor)} ${unit}`;
}

export function formatPercent(share: number | null | undefined): string {
  return share === null || share === undefined ? MISSING : `${formatNumber(share * 100)} %`;
}

/** Whole seconds in the two largest parts: 45 s, 2 min 30 s, 3 h 5 min. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return MISSING;
  if (seconds < 10 && !Number.isInteger(seconds)) return `${formatNumber(seconds, 2)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return joinParts(Math.floor(whole / 60), 'min', whole % 60, 's');
  if (whole < 86_400) return joinParts(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min');
  return joinParts(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3600), 'h');
}

function joinParts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** "1 trial", "24 trials". */
export function countNoun(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
