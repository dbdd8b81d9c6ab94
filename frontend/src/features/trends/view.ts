/** The view of the trends pages, as it stands in their URL. */
export interface TrendSearch {
  readonly q?: string;
  /** `name:value`. */
  readonly label?: string[];
  readonly metric?: string;
  readonly op?: string;
  /** How far back; 0 for everything, 90 when left out. */
  readonly days?: number;
  readonly split?: boolean;
  readonly zero?: boolean;
  /** Only what shifted. */
  readonly shifted?: boolean;
  readonly zoom?: readonly [number, number];
  readonly point?: string;
}

export interface TrendPage<View> {
  readonly view: View;
  readonly onView: (patch: Partial<View>) => void;
}

export const DEFAULT_METRIC = 'throughput_per_s';
const DEFAULT_DAYS = 90;

export interface TrendChoice {
  readonly metric: string;
  readonly operation: string;
  /** Undefined for everything. */
  readonly days: number | undefined;
  readonly isSplit: boolean;
  readonly isFromZero: boolean;
}

export function choiceOf(view: TrendSearch): TrendChoice {
  const days = view.days ?? DEFAULT_DAYS;
  return {
    metric: view.metric ?? DEFAULT_METRIC,
    operation: view.op ?? 'all',
    days: days === 0 ? undefined : days,
    isSplit: view.split ?? false,
    isFromZero: view.zero ?? false,
  };
}

/** With a label added, or taken away when it is there. */
export function toggledLabel(labels: readonly string[] | undefined, label: string): string[] | undefined {
  const known = labels ?? [];
  const next = known.includes(label) ? known.filter((one) => one !== label) : [...known, label];
  return next.length > 0 ? next : undefined;
}

const LABEL_TITLES: Record<string, string> = {
  target_kind: 'Store',
  mode: 'Managed or external',
  profile: 'Profile',
  address: 'Address',
  operations: 'Operations',
  workload: 'Workload',
  key_count: 'Keys',
  value_size: 'Value size',
  access: 'Access',
  load: 'Load',
  connections: 'Connections',
  pipeline: 'Pipeline depth',
  rate_per_s: 'Offered rate',
  threads: 'Engine threads',
  agent_class: 'Agent class',
  target: 'Target',
  plan: 'Plan',
};

export function labelTitle(name: string): string {
  if (name.startsWith('option.')) return `Option ${name.slice('option.'.length)}`;
  return LABEL_TITLES[name] ?? name;
}
