import type { ReactElement } from 'react';
import { ChartLegend, type ChartSeries } from '@/components/charts';
import type { CurveView } from './selection';

interface CurveLegendProps {
  readonly targets: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly onView: (patch: Partial<CurveView>) => void;
}

export function hiddenIn({ hide }: CurveView): ReadonlySet<string> {
  return new Set(hide ?? []);
}

/** One legend for all charts of the page: a click hides a target, a double click shows it alone. */
export function CurveLegend({ targets, hidden, onView }: CurveLegendProps): ReactElement {
  return (
    <ChartLegend
      series={legendSeries(targets)}
      hidden={hidden}
      onToggle={(name) => onView({ hide: toggled(hidden, name) })}
      onIsolate={(name) => onView({ hide: isolated(targets, hidden, name) })}
    />
  );
}

function legendSeries(targets: readonly string[]): ChartSeries[] {
  return targets.map((target, lookIndex) => ({ key: target, label: target, lookIndex, points: [] }));
}

function toggled(hidden: ReadonlySet<string>, name: string): string[] | undefined {
  const next = hidden.has(name) ? [...hidden].filter((other) => other !== name) : [...hidden, name];
  return next.length > 0 ? next : undefined;
}

/** Alone on the page; once more, and the others come back. The first click of a double click has toggled `name` already. */
function isolated(
  targets: readonly string[],
  hidden: ReadonlySet<string>,
  name: string,
): string[] | undefined {
  const others = targets.filter((target) => target !== name);
  const isAlone = others.length > 0 && others.every((target) => hidden.has(target));
  return isAlone ? undefined : others;
}
