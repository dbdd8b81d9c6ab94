/** Ticks, limits and units of an axis. Pure. */

/** `time` is an instant in Unix milliseconds, `nines` 1 / (1 - quantile), `share` 0 to 1, `ratio` one value over another. */
export type Quantity =
  | 'rate'
  | 'frequency'
  | 'duration'
  | 'seconds'
  | 'plain'
  | 'time'
  | 'nines'
  | 'share'
  | 'bytes'
  | 'ratio';

export interface AxisUnit {
  /** Empty for plain numbers. */
  readonly unit: string;
  readonly divisor: number;
}

/** One unit for the whole axis, chosen so that its middle reads without zeros. */
export function axisUnit(quantity: Quantity, typical: number): AxisUnit {
  if (quantity === 'duration') {
    if (typical >= 1e9) return { unit: 's', divisor: 1e9 };
    if (typical >= 1e6) return { unit: 'ms', divisor: 1e6 };
    return typical >= 1e3 ? { unit: 'µs', divisor: 1e3 } : { unit: 'ns', divisor: 1 };
  }
  if (quantity === 'rate') {
    if (typical >= 1e6) return { unit: 'M ops/s', divisor: 1e6 };
    return typical >= 1e3 ? { unit: 'k ops/s', divisor: 1e3 } : { unit: 'ops/s', divisor: 1 };
  }
  if (quantity === 'frequency') {
    if (typical >= 1e6) return { unit: 'M/s', divisor: 1e6 };
    return typical >= 1e3 ? { unit: 'k/s', divisor: 1e3 } : { unit: '1/s', divisor: 1 };
  }
  if (quantity === 'bytes') return byteUnit(typical);
  if (quantity === 'share') return { unit: '%', divisor: 0.01 };
  return { unit: quantity === 'seconds' ? 's' : '', divisor: 1 };
}

function byteUnit(typical: number): AxisUnit {
  if (typical >= 1024 ** 3) return { unit: 'GiB', divisor: 1024 ** 3 };
  if (typical >= 1024 ** 2) return { unit: 'MiB', divisor: 1024 ** 2 };
  return typical >= 1024 ? { unit: 'KiB', divisor: 1024 } : { unit: 'B', divisor: 1 };
}

export interface AxisScale {
  readonly domain: [number, number];
  readonly ticks: number[];
}

const EMPTY_SCALE: AxisScale = { domain: [0, 1], ticks: [0, 1] };

/** A linear axis from zero (or below) to a round limit, so that a growing line steps and does not jump. */
export function linearScale(values: readonly number[], options: { fromZero: boolean }): AxisScale {
  if (values.every((value) => value === 0)) return EMPTY_SCALE;
  const highest = maxOf(values);
  const lowest = options.fromZero ? Math.min(0, minOf(values)) : minOf(values);
  const span = highest - lowest || Math.abs(highest) || 1;
  const step = roundStep(span / 5);
  const from = Math.floor(lowest / step) * step;
  const to = Math.max(Math.ceil(highest / step), Math.floor(lowest / step) + 1) * step;
  const count = Math.round((to - from) / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) =>
    Number((from + index * step).toPrecision(12)),
  );
  return { domain: [from, to], ticks };
}

/** A linear axis whose ticks are round in the unit that they are written in: bytes go by powers of 1024. */
export function roundScale(
  quantity: Quantity,
  values: readonly number[],
  options: { fromZero: boolean },
): AxisScale {
  const plain = linearScale(values, options);
  if (quantity !== 'bytes') return plain;
  const { divisor } = byteUnit(plain.domain[1] / 2);
  const { domain, ticks } = linearScale(
    values.map((value) => value / divisor),
    options,
  );
  return {
    domain: [domain[0] * divisor, domain[1] * divisor],
    ticks: ticks.map((tick) => tick * divisor),
  };
}

/** 1, 2 or 5 times a power of ten, at least `raw`. */
function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

/** A log axis over the positive values; ticks at decades, at 1-2-5 when there are few decades. */
export function logScale(values: readonly number[]): AxisScale {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { domain: [1, 10], ticks: [1, 10] };
  const leads = [1, 2, 5];
  const from = logLimitBelow(minOf(positive), leads);
  const to = Math.max(logLimitAbove(maxOf(positive), leads), from * 2);
  const decades = Math.log10(to / from);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += 1) {
    for (const lead of decades > 3 ? [1] : leads) {
      const tick = Number((lead * 10 ** power).toPrecision(12));
      if (tick >= from * 0.999 && tick <= to * 1.001) ticks.push(tick);
    }
  }
  return { domain: [from, to], ticks };
}

function logLimitBelow(value: number, leads: readonly number[]): number {
  const power = Math.floor(Math.log10(value));
  const lead = leads.findLast((candidate) => candidate * 10 ** power <= value * 1.0001) ?? 1;
  return Number((lead * 10 ** power).toPrecision(12));
}

function logLimitAbove(value: number, leads: readonly number[]): number {
  const power = Math.floor(Math.log10(value));
  const lead = [...leads, 10].find((candidate) => candidate * 10 ** power >= value * 0.9999) ?? 10;
  return Number((lead * 10 ** power).toPrecision(12));
}

/** The bound values themselves where they fit (4, 8, 16 ...), else round ticks. */
export function xScale(
  values: readonly number[],
  isLog: boolean,
  zoom: readonly [number, number] | null,
): AxisScale {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const shown = zoom ? distinct.filter((value) => value >= zoom[0] && value <= zoom[1]) : distinct;
  const first = shown[0];
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return EMPTY_SCALE;
  const domain = zoom ? ([zoom[0], zoom[1]] as [number, number]) : paddedDomain(first, last, isLog);
  const round = isLog ? logScale(shown).ticks : linearScale(shown, { fromZero: false }).ticks;
  const ticks = shown.length <= 12 ? shown : round.filter((tick) => tick >= domain[0] && tick <= domain[1]);
  return { domain, ticks };
}

/** Names at whole numbers, half a place of room at each end. */
export function namesScale(names: readonly string[]): AxisScale {
  return { domain: [-0.5, Math.max(0, names.length - 1) + 0.5], ticks: names.map((_, index) => index) };
}

function paddedDomain(first: number, last: number, isLog: boolean): [number, number] {
  if (isLog) {
    const margin = (last / first) ** 0.04 || 1;
    return first === last ? [first / 2, last * 2] : [first / margin, last * margin];
  }
  const margin = (last - first) * 0.03 || Math.abs(first) / 2 || 1;
  return [first - margin, last + margin];
}

// Spreading a long array into Math.min overflows the stack.
function minOf(values: readonly number[]): number {
  return values.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY);
}

function maxOf(values: readonly number[]): number {
  return values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);
}
