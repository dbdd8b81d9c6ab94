import type { DashboardContent, Panel, PanelView } from '@/api/dashboards';
import { requestId } from '@/lib/request-id';

type Kind = PanelView['kind'];

export const PANEL_KINDS: ReadonlyArray<{ kind: Kind; title: string; meaning: string }> = [
  { kind: 'trend', title: 'Trend', meaning: 'One series or several, over time' },
  { kind: 'run', title: 'Run', meaning: 'The curve of a run, or of a plan’s latest' },
  { kind: 'comparison', title: 'Comparison', meaning: 'A saved comparison and its verdicts' },
  { kind: 'text', title: 'Text', meaning: 'A note in Markdown' },
];

const DEFAULT_DAYS = 90;
const BLANK: Record<Kind, PanelView> = {
  trend: {
    kind: 'trend',
    series_ids: [],
    labels: [],
    metric: 'throughput_per_s',
    operation: 'all',
    days: DEFAULT_DAYS,
    is_split_by_version: false,
  },
  run: { kind: 'run', run_id: null, plan_id: null, metric: 'throughput_per_s', operation: 'all', axis: null },
  comparison: { kind: 'comparison', comparison_id: '', metric: 'throughput_per_s' },
  text: { kind: 'text', markdown: '' },
};

export function newPanel(view: PanelView, title: string): Panel {
  return { id: requestId().slice(0, 12), title: title.slice(0, 200), view, width: 1, height: 2 };
}

export function blankPanel(kind: Kind): Panel {
  return newPanel(BLANK[kind], '');
}

/** Whether it names what it shows. */
export function isComplete(view: PanelView): boolean {
  if (view.kind === 'trend') return (view.series_ids?.length ?? 0) + (view.labels?.length ?? 0) > 0;
  if (view.kind === 'run') return Boolean(view.run_id) !== Boolean(view.plan_id);
  if (view.kind === 'comparison') return view.comparison_id !== '';
  return view.markdown.trim() !== '';
}

/** Put in its place, or at the end when it is new. */
export function withPanel(content: DashboardContent, panel: Panel): DashboardContent {
  const panels = content.panels ?? [];
  const isKnown = panels.some(({ id }) => id === panel.id);
  return {
    ...content,
    panels: isKnown ? panels.map((one) => (one.id === panel.id ? panel : one)) : [...panels, panel],
  };
}
