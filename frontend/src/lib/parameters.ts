/** The parameters an axis may bind, as people read them. */
export interface Parameter {
  readonly name: string;
  readonly title: string;
  /** Empty for counts. */
  readonly unit: string;
  /** Values that make a good first axis. */
  readonly example: string;
}

export const PARAMETERS: readonly Parameter[] = [
  { name: 'connections', title: 'connections', unit: '', example: '1 4 16 64' },
  { name: 'pipeline', title: 'pipeline depth', unit: '', example: '1..16 x2' },
  { name: 'rate_per_s', title: 'offered rate', unit: 'ops/s', example: '10k 20k 40k 80k' },
  { name: 'threads', title: 'engine threads', unit: '', example: '1 2' },
  { name: 'value_size_bytes', title: 'value size', unit: 'B', example: '64..4096 x4' },
  { name: 'key_count', title: 'keys', unit: '', example: '10k 100k 1M' },
  { name: 'key_size_bytes', title: 'key size', unit: 'B', example: '16 64 128' },
  { name: 'keys_per_request', title: 'keys per multi-get', unit: '', example: '1 10 100' },
  { name: 'zipf_exponent', title: 'Zipf exponent', unit: '', example: '0.5 0.8 1.1' },
  { name: 'get_share', title: 'share of gets', unit: '', example: '0 0.5 0.9 1' },
  { name: 'list_length', title: 'list length', unit: '', example: '1k 10k 100k' },
  { name: 'entries', title: 'entries per request', unit: '', example: '100 200 1000' },
  { name: 'think_time_us', title: 'think time', unit: 'µs', example: '0 100 1000' },
  { name: 'requests_per_connection', title: 'requests per connection', unit: '', example: '1 10 100' },
  { name: 'server_cpus', title: 'cores of the server', unit: '', example: '1 2 4 8' },
];

/** Axes of names: the value says it all. */
const NAMED: ReadonlySet<string> = new Set(['target', 'workload', 'engine']);

export function parameterTitle(name: string): string {
  const known = PARAMETERS.find((parameter) => parameter.name === name);
  if (!known) return name;
  return known.unit === '' ? known.title : `${known.title} (${known.unit})`;
}

/** "64 connections", "value size 100 B". */
export function describeParameter(name: string, value: unknown): string {
  const known = PARAMETERS.find((parameter) => parameter.name === name);
  const number =
    typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 6 }) : String(value);
  if (name === 'connections') return `${number} connection${value === 1 ? '' : 's'}`;
  if (NAMED.has(name)) return String(value);
  return known ? `${known.title} ${number}${known.unit === '' ? '' : ` ${known.unit}`}` : `${name} ${number}`;
}

/** All of a point's parameters in words, the target first. */
export function describeParameters(parameters: Readonly<Record<string, unknown>>): string {
  const { target, ...rest } = parameters;
  const parts = Object.entries(rest).map(([name, value]) => describeParameter(name, value));
  return [target === undefined ? null : String(target), ...parts].filter((part) => part !== null).join(' · ');
}

/** The same of one among several: without what all of them have in common. */
export function describeAmong(
  parameters: Readonly<Record<string, unknown>>,
  all: ReadonlyArray<Readonly<Record<string, unknown>>>,
): string {
  const told = Object.entries(parameters).filter(
    ([name, value]) => name === 'target' || all.some((other) => other[name] !== value),
  );
  return describeParameters(all.length > 1 ? Object.fromEntries(told) : parameters);
}
