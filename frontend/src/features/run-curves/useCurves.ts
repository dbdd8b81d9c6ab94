import { useMemo } from 'react';
import { NOTHING_PUBLISHED, type RunPublished } from '@/api/recipes';
import type { Point, Run } from '@/api/runs';
import { fileStem } from '@/lib/save-file';
import { hiddenIn } from './CurveLegend';
import { metricOfKill, metricsOf, OVERVIEW } from './metrics';
import { lineOfStudy, metricOfStudy, referencesOf } from './published';
import { axesOf, type CurveView, operationChoices, panelsOf, type Selection, select } from './selection';

export interface CurveData {
  readonly points: readonly Point[];
  readonly published: RunPublished;
}

/** What of the run is on the page, out of its points and the view state. */
export function useCurves(run: Run, view: CurveView, { points, published }: CurveData) {
  const selection = useMemo(() => select(run, view), [run, view]);
  const axes = useMemo(() => axesOf(run), [run]);
  const panels = useMemo(() => panelsOf(points, selection), [points, selection]);
  const metrics = useMemo(() => metricsOf(points, selection), [points, selection]);
  const hidden = useMemo(() => hiddenIn(view), [view]);
  const isPublishedShown = view.pub !== false && published.series.length > 0;
  const shown = isPublishedShown ? published : NOTHING_PUBLISHED;
  const asked = view.metric ?? metricOfStudy(shown) ?? metricOfKill(metrics) ?? OVERVIEW;
  const metric = metrics.find(({ name }) => name === asked) ?? null;
  return {
    selection,
    axes,
    panels,
    metrics,
    hidden,
    metric,
    metricName: metric?.name ?? OVERVIEW,
    base: baseLine(view, shown, selection),
    published: shown,
    isPublishedShown,
    references: metric ? referencesOf(shown, selection, metric.name) : [],
    operations: operationChoices(points),
    zoom: view.zoom ?? null,
    fileLabel: fileStem(run.name),
  };
}

/** The line that was asked for, or the one that the study is a ratio to; null for the values themselves. */
function baseLine({ norm }: CurveView, published: RunPublished, selection: Selection): string | null {
  if (norm !== undefined) return selection.lines.includes(norm) ? norm : null;
  return lineOfStudy(published, selection) ?? null;
}
