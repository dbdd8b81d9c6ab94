import {
  numberRange,
  oneOrMore,
  optionalCount,
  optionalFlag,
  optionalOneOf,
  optionalText,
  type RawSearch,
  textList,
  valueRecord,
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

const RECIPE_SIZES = ['quick', 'full'] as const;

export function recipesSearch(raw: RawSearch) {
  return optional({ q: optionalText(raw.q) });
}

export function recipeSearch(raw: RawSearch) {
  return optional({ size: optionalOneOf(raw.size, RECIPE_SIZES) });
}

export function newRunSearch(raw: RawSearch) {
  return optional({
    recipe: optionalText(raw.recipe),
    /** Of the recipe; the quick one when left out. */
    size: optionalOneOf(raw.size, RECIPE_SIZES),
    from: optionalText(raw.from),
    plan: optionalText(raw.plan),
    /** Of the plan; the newest when left out. */
    version: optionalCount(raw.version, 2 ** 31 - 1),
  });
}

export function plansSearch(raw: RawSearch) {
  return optional({
    q: optionalText(raw.q),
    archived: optionalFlag(raw.archived),
    versions: optionalText(raw.versions),
  });
}

export function schedulesSearch(raw: RawSearch) {
  return optional({
    q: optionalText(raw.q),
    edit: optionalText(raw.edit),
    plan: optionalText(raw.plan),
    history: optionalText(raw.history),
  });
}

export function queueSearch(raw: RawSearch) {
  return optional({ q: optionalText(raw.q), of: optionalOneOf(raw.of, ['trials'] as const) });
}

export const RUN_TABS = ['curves', 'latency', 'time', 'trials', 'environment', 'plan', 'discussion'] as const;
export const PERCENTILES = ['p50', 'p90', 'p99', 'p999', 'max'] as const;

export function runSearch(raw: RawSearch) {
  return optional({
    tab: optionalOneOf(raw.tab, RUN_TABS),
    axis: optionalText(raw.axis),
    /** The axis whose values are lines. */
    line: optionalText(raw.line),
    /** Values of the further axes: `{pipeline: 4}`. */
    at: valueRecord(raw.at),
    /** The axes that are spread over small multiples. */
    split: oneOrMore(raw.split),
    metric: optionalText(raw.metric),
    /** What all lines are divided by. */
    norm: optionalText(raw.norm),
    pub: optionalFlag(raw.pub),
    op: optionalText(raw.op),
    time: optionalOneOf(raw.time, ['service'] as const),
    pct: optionalPercentiles(raw.pct),
    logx: optionalFlag(raw.logx),
    logy: optionalFlag(raw.logy),
    logt: optionalFlag(raw.logt),
    logr: optionalFlag(raw.logr),
    zoom: numberRange(raw.zoom),
    hide: textList(raw.hide),
    trial: optionalText(raw.trial),
    /** Points whose percentile spectra are drawn. */
    pts: textList(raw.pts),
    /** Trials whose heat maps are drawn. */
    maps: textList(raw.maps),
    detail: optionalText(raw.detail),
    tzoom: numberRange(raw.tzoom),
    /** Counters of the store that are drawn over time. */
    counters: textList(raw.counters),
    /** The point that is spoken of. */
    point: optionalText(raw.point),
  });
}
export type RunSearch = ReturnType<typeof runSearch>;

function optionalPercentiles(raw: unknown): (typeof PERCENTILES)[number][] | undefined {
  const chosen = PERCENTILES.filter((name) => Array.isArray(raw) && raw.includes(name));
  return chosen.length > 0 ? chosen : undefined;
}

const MOST_MARGIN = 99;

export function compareSearch(raw: RawSearch) {
  return optional({
    /** The base first: `<run>`, `<run>?target=redis` or `point:<point>`. */
    side: textList(raw.side),
    runs: optionalText(raw.runs),
    metric: textList(raw.metric),
    op: optionalText(raw.op),
    margin:
      typeof raw.margin === 'number' && raw.margin > 0 && raw.margin < MOST_MARGIN ? raw.margin : undefined,
    axis: optionalText(raw.axis),
    logx: optionalFlag(raw.logx),
    logy: optionalFlag(raw.logy),
    hide: textList(raw.hide),
  });
}
export type CompareSearch = ReturnType<typeof compareSearch>;

const MOST_DAYS = 3660;

export function trendsSearch(raw: RawSearch) {
  return optional({
    q: optionalText(raw.q),
    label: textList(raw.label),
    metric: optionalText(raw.metric),
    op: optionalText(raw.op),
    days: optionalCount(raw.days, MOST_DAYS),
    split: optionalFlag(raw.split),
    zero: optionalFlag(raw.zero),
    shifted: optionalFlag(raw.shifted),
  });
}
export type TrendsSearch = ReturnType<typeof trendsSearch>;

export function trendSearch(raw: RawSearch) {
  return optional({
    metric: optionalText(raw.metric),
    op: optionalText(raw.op),
    days: optionalCount(raw.days, MOST_DAYS),
    split: optionalFlag(raw.split),
    zero: optionalFlag(raw.zero),
    zoom: numberRange(raw.zoom),
    point: optionalText(raw.point),
  });
}
export type TrendPageSearch = ReturnType<typeof trendSearch>;

const ALERT_STATES = ['suspected', 'confirmed', 'acknowledged', 'expected', 'fixed', 'false'] as const;

export function alertsSearch(raw: RawSearch) {
  return optional({
    state: optionalOneOf(raw.state, [...ALERT_STATES, 'any'] as const),
    owner: optionalText(raw.owner),
    series: optionalText(raw.series),
    alert: optionalText(raw.alert),
  });
}
export type AlertsSearch = ReturnType<typeof alertsSearch>;

export function dashboardSearch(raw: RawSearch) {
  return optional({ edit: optionalFlag(raw.edit) });
}

export function targetsSearch(raw: RawSearch) {
  return optional({ q: optionalText(raw.q), edit: optionalText(raw.edit) });
}

export function auditSearch(raw: RawSearch) {
  return optional({
    actor: optionalText(raw.actor),
    subject: optionalText(raw.subject),
    action: optionalText(raw.action),
  });
}

export function signInSearch(raw: RawSearch) {
  return optional({ next: safeNext(optionalText(raw.next)) });
}

/** Only an address inside this page: an absolute one would send people elsewhere after they sign in. */
function safeNext(next: string | undefined): string | undefined {
  return next?.startsWith('/') && !next.startsWith('//') && !next.startsWith('/\\') ? next : undefined;
}
