/** Store and host, second by second, as lines of charts. Pure. */
import type { Sample } from '@/api/runs';
import type { CounterName, TelemetryItem } from '@/api/telemetry';
import type { ChartPoint, ChartSeries, Quantity } from '@/components/charts';
import { SHORTEST_S, secondsSince } from './seconds-series';

/** One chart. `seriesOf` are its lines, each with what it reads from a second. */
export interface TelemetryPanel {
  readonly key: string;
  readonly title: string;
  readonly axis: string;
  readonly quantity: Quantity;
  readonly lines: readonly Line[];
}

interface Line {
  readonly key: string;
  readonly label: string;
  readonly value: (item: TelemetryItem) => number | null | undefined;
}

type CounterUnit = CounterName['unit'];

const COUNTER_PANELS: ReadonlyArray<readonly [CounterUnit, string, string, Quantity]> = [
  ['per_s', 'Counters of the store', 'Per second', 'frequency'],
  ['bytes_per_s', 'Bytes of the store, per second', 'Per second', 'bytes'],
  ['bytes', 'Sizes told by the store', 'Size', 'bytes'],
  ['count', 'Numbers told by the store', 'Number', 'plain'],
  ['ratio', 'Ratios told by the store', 'Ratio', 'plain'],
  ['s', 'Durations told by the store', 'Duration', 'seconds'],
];

const hostValue = (name: string) => (item: TelemetryItem) => item.host?.[name];

const HOST_PANELS: readonly TelemetryPanel[] = [
  {
    key: 'cpu',
    title: 'CPU of the host by kind',
    axis: 'Share',
    quantity: 'share',
    lines: [
      { key: 'user', label: 'user', value: hostValue('cpu_user_share') },
      { key: 'system', label: 'system', value: hostValue('cpu_system_share') },
      { key: 'interrupt', label: 'interrupts', value: hostValue('cpu_interrupt_share') },
      { key: 'iowait', label: 'waiting for disk', value: hostValue('cpu_iowait_share') },
      { key: 'steal', label: 'stolen by the hypervisor', value: hostValue('cpu_steal_share') },
    ],
  },
  {
    key: 'io',
    title: 'Disk and network of the host',
    axis: 'Per second',
    quantity: 'bytes',
    lines: [
      { key: 'read', label: 'disk read', value: hostValue('disk_read_bytes_per_s') },
      { key: 'written', label: 'disk written', value: hostValue('disk_written_bytes_per_s') },
      { key: 'received', label: 'network received', value: hostValue('network_received_bytes_per_s') },
      { key: 'sent', label: 'network sent', value: hostValue('network_sent_bytes_per_s') },
      { key: 'loopback', label: 'within the host', value: hostValue('loopback_bytes_per_s') },
    ],
  },
  {
    key: 'switches',
    title: 'Context switches of the host',
    axis: 'Per second',
    quantity: 'frequency',
    lines: [{ key: 'switches', label: 'context switches', value: hostValue('context_switches_per_s') }],
  },
  {
    key: 'available',
    title: 'Memory left on the host',
    axis: 'Memory',
    quantity: 'bytes',
    lines: [{ key: 'available', label: 'available', value: hostValue('memory_available_bytes') }],
  },
];

const MEMORY: TelemetryPanel = {
  key: 'memory',
  title: 'Memory of the store',
  axis: 'Memory',
  quantity: 'bytes',
  lines: [
    { key: 'server', label: 'server', value: (item) => item.store_memory_bytes },
    { key: 'all', label: 'server and its children', value: memoryOfAll },
  ],
};

const STORE_PANELS: readonly TelemetryPanel[] = [
  {
    key: 'cores',
    title: 'CPU of the store',
    axis: 'Cores in use',
    quantity: 'plain',
    lines: [{ key: 'cores', label: 'cores', value: (item) => item.store_cpu_cores }],
  },
  {
    key: 'disk',
    title: 'Disk of the store',
    axis: 'Allocated',
    quantity: 'bytes',
    lines: [{ key: 'disk', label: 'data directory', value: (item) => item.store_disk_bytes }],
  },
];

function memoryOfAll({ store_memory_bytes: own, store_children_memory_bytes: more }: TelemetryItem) {
  return own === null || more === null ? null : own + more;
}

/** Counters that are drawn until somebody chooses: the rates that move most, by name so that colours stay. */
const FIRST_SHOWN = 4;
const RARELY_ASKED = new Set(['connections_opened_per_s', 'handler_reads_per_s', 'handler_writes_per_s']);

export function defaultCounters(items: readonly TelemetryItem[], names: readonly CounterName[]): string[] {
  const highest = (name: string) => items.reduce((most, { store }) => Math.max(most, store[name] ?? 0), 0);
  return names
    .filter(({ unit, name }) => unit === 'per_s' && !RARELY_ASKED.has(name) && highest(name) > 0)
    .slice(0, FIRST_SHOWN)
    .map(({ name }) => name);
}

/** The charts that have something to show, counters first. */
export function panelsOf(
  items: readonly TelemetryItem[],
  names: readonly CounterName[],
  chosen: readonly string[],
): TelemetryPanel[] {
  const shown = names.filter(({ name }) => chosen.includes(name));
  const counters = COUNTER_PANELS.map(([unit, title, axis, quantity]) => ({
    key: `store:${unit}`,
    title,
    axis,
    quantity,
    lines: shown
      .filter((name) => name.unit === unit)
      .map(({ name, title: label }) => ({
        key: name,
        label,
        value: ({ store }: TelemetryItem) => store[name],
      })),
  }));
  return [...counters, MEMORY, ...STORE_PANELS, ...HOST_PANELS].filter(({ lines }) =>
    lines.some(({ value }) => items.some((item) => typeof value(item) === 'number')),
  );
}

/**
 * Lines that are zero throughout say nothing that their absence does not; a lone line stays.
 * @param deaths seconds at which the store was no more: no line of it runs to the one that was started after
 */
export function seriesOf(
  panel: TelemetryPanel,
  items: readonly TelemetryItem[],
  xs: readonly number[],
  deaths: readonly number[],
) {
  const breaks = deaths.length > 0 && !HOST_PANELS.includes(panel) ? deaths : undefined;
  const drawn = panel.lines.map(({ key, label, value }, index): ChartSeries => {
    const points = items.map((item, at): ChartPoint => {
      const y = value(item);
      return { x: xs[at] ?? 0, y: typeof y === 'number' ? y : null, label: item.phase ?? undefined };
    });
    return {
      key,
      label,
      lookIndex: index,
      isBare: true,
      isJoined: true,
      breaks,
      points: points.filter(isKnown),
    };
  });
  const moving = drawn.filter(({ points }) => points.some(({ y }) => y !== 0 && y !== null));
  return moving.length > 0 ? moving : drawn.slice(0, 1);
}

function isKnown({ y }: ChartPoint): boolean {
  return y !== null;
}

/** A reading this near to a sample's second stands at it, so that one cursor runs through all charts. */
const NEAR_S = 0.6;
/** Each second once, at the place that its sample has on the time axis. */
export function placeSeconds(
  items: readonly TelemetryItem[],
  samples: readonly Sample[],
): { items: TelemetryItem[]; xs: number[] } {
  const xOf = secondsSince(samples);
  const places = samples.map(xOf);
  const first = samples[0];
  const start = first ? Date.parse(first.at) - first.duration_s * 1000 : Date.parse(items[0]?.at ?? '');
  const placed = new Map<number, TelemetryItem>();
  for (const item of items) {
    const at = (Date.parse(item.at) - start) / 1000;
    const near = nearest(places, at);
    const x = near !== undefined && Math.abs(near - at) <= NEAR_S ? near : Math.round(at * 100) / 100;
    const before = placed.get(x);
    if (!before || (before.duration_s < item.duration_s && item.duration_s >= SHORTEST_S))
      placed.set(x, item);
  }
  const xs = [...placed.keys()].filter((x) => x >= 0).sort((a, b) => a - b);
  return { xs, items: xs.flatMap((x) => placed.get(x) ?? []) };
}

function nearest(places: readonly number[], at: number): number | undefined {
  return places.reduce<number | undefined>(
    (best, place) => (best !== undefined && Math.abs(best - at) <= Math.abs(place - at) ? best : place),
    undefined,
  );
}
