import type { ReactElement } from 'react';
import { lookOf } from './palette';
import { SeriesKey } from './SeriesKey';
import { useScheme } from './useScheme';

/** The colour, line and marker of the palette's n-th place, where a page names what a chart draws. */
export function ChartKey({ index }: { readonly index: number }): ReactElement {
  return <SeriesKey look={lookOf(index, useScheme())} />;
}
