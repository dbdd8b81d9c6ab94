import type { ReactElement } from 'react';
import { ChartLegend, type ChartSeries } from '@/components/charts';
import type { CurveView } from './selection';
import { referenceKey } from './shape';

interface CurveLegendProps {
  readonly lines: readonly string[];
  /** Published labels, each with the line it stands beside. */
  readonly references?: readonly { readonly label: string; readonly line: string }[];
  readonly hidden: ReadonlySet<string>;
  readonly onView: (patch: Partial<CurveView>) => void;
}

export function hiddenIn({ hide }: CurveView): ReadonlySet<string> {
  return new Set(hide ?? []);
}

/** One legend for all charts of the page: a click hides a line, a double click shows it alone. */
export function CurveLegend({ lines, references = [], hidden, onView }: CurveLegendProps): ReactElement {
  const series = [...lines.map(ownEntry), ...references.map((one) => referenceEntry(one, lines))];
  return (
    <ChartLegend
      series={series}
      hidden={hidden}
      onToggle={(name) => onView({ hide: toggled(hidden, name) })}
      onIsolate={(name) => onView({ hide: isolated(series, hidden, name) })}
    />
  );
}

function ownEntry(line: string, lookIndex: number): ChartSeries {
  return { key: line, label: line, lookIndex, points: [] };
}

function referenceEntry({ label, line }: { label: string; line: string }, lines: readonly string[]) {
  return {
    key: referenceKey(label),
    label: `${label}, published`,
    lookIndex: Math.max(0, lines.indexOf(line)),
    isReference: true,
    points: [],
  };
}

function toggled(hidden: ReadonlySet<string>, name: string): string[] | undefined {
  const next = hidden.has(name) ? [...hidden].filter((other) => other !== name) : [...hidden, name];
  return next.length > 0 ? next : undefined;
}

/** Alone on the page; once more, and the others come back. The first click of a double click has toggled `name` already. */
function isolated(
  series: readonly ChartSeries[],
  hidden: ReadonlySet<string>,
  name: string,
): string[] | undefined {
  const others = series.map(({ key }) => key).filter((key) => key !== name);
  const isAlone = others.length > 0 && others.every((key) => hidden.has(key));
  return isAlone ? undefined : others;
}
