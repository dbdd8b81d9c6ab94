import {
  numberRange,
  numberRecord,
  optionalFlag,
  optionalOneOf,
  optionalText,
  type RawSearch,
  textList,
} from '@/lib/search-params';

/** Every part may be missing. */
function optional<T extends object>(search: T): Partial<T> {
  return search;
}

/** The view state of every page, as it stands in its URL. Defaults are left out, so that a link stays short. */

const RUN_STATUSES = [
  'queued',
  'claimed',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'crashed',
] as const;

export function runsSearch(raw: RawSearch) {
  return optional({
    q: optionalText(raw.q),
    status: optionalOneOf(raw.status, RUN_STATUSES),
    mine: optionalFlag(raw.mine),
  });
}

export function newRunSearch(raw: RawSearch) {
  return optional({
    recipe: optionalText(raw.recipe),
    from: optionalText(raw.from),
    plan: optionalText(raw.plan),
  });
}

export const RUN_TABS = ['curves', 'time', 'trials', 'environment', 'plan'] as const;
export const PERCENTILES = ['p50', 'p90', 'p99', 'p999', 'max'] as const;

export function runSearch(raw: RawSearch) {
  return optional({
    tab: optionalOneOf(raw.tab, RUN_TABS),
    axis: optionalText(raw.axis),
    /** Values of the further axes: `{pipeline: 4}`. */
    at: numberRecord(raw.at),
    /** The axis that is spread over small multiples. */
    split: optionalText(raw.split),
    op: optionalText(raw.op),
    time: optionalOneOf(raw.time, ['service'] as const),
    pct: optionalPercentiles(raw.pct),
    logx: optionalFlag(raw.logx),
    logy: optionalFlag(raw.logy),
    logt: optionalFlag(raw.logt),
    zoom: numberRange(raw.zoom),
    hide: textList(raw.hide),
    trial: optionalText(raw.trial),
    detail: optionalText(raw.detail),
    tzoom: numberRange(raw.tzoom),
  });
}
export type RunSearch = ReturnType<typeof runSearch>;

function optionalPercentiles(raw: unknown): (typeof PERCENTILES)[number][] | undefined {
  const chosen = PERCENTILES.filter((name) => Array.isArray(raw) && raw.includes(name));
  return chosen.length > 0 ? chosen : undefined;
}

export function targetsSearch(raw: RawSearch) {
  return optional({ q: optionalText(raw.q), edit: optionalText(raw.edit) });
}

export function signInSearch(raw: RawSearch) {
  return optional({ next: safeNext(optionalText(raw.next)) });
}

/** Only an address inside this page: an absolute one would send people elsewhere after they sign in. */
function safeNext(next: string | undefined): string | undefined {
  return next?.startsWith('/') && !next.startsWith('//') && !next.startsWith('/\\') ? next : undefined;
}
