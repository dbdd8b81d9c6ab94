import { Alert, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Comparison } from '@/api/comparisons';
import { ChartFrame, ForestPlot } from '@/components/charts';
import { countNoun } from '@/lib/format';
import { CellsTable } from './CellsTable';
import { CompareCurves } from './CompareCurves';
import { forestRows, forestSentence, orderText } from './cells';
import { DifferencesList } from './DifferencesList';
import { cellsCsv } from './table';
import type { ComparePage } from './view';

/** Rows of one plot; the table holds all. */
const MOST_ROWS = 60;

/** What differs first, then the verdicts as plot, curves and table. */
export function CompareResult({
  found,
  view,
  onView,
}: ComparePage & { readonly found: Comparison }): ReactElement {
  return (
    <Stack>
      <DifferencesList found={found} />
      <Stack gap={4}>
        <Title order={2} size="h5">
          {found.sentence}
        </Title>
        <Caveats found={found} />
      </Stack>
      {found.metrics.map((metric) => {
        const rows = forestRows(found, metric.name);
        if (rows.length === 0) return null;
        const title = `${metric.title}: ratio to ${found.sides[0]?.label ?? 'the base'}, ${metric.better} is better`;
        const shown = rows.slice(0, MOST_ROWS);
        return (
          <ChartFrame
            key={metric.name}
            title={title}
            fileLabel="comparison"
            series={[]}
            sentence={`${forestSentence(rows, found.family_size)}${rows.length > shown.length ? ` The first ${MOST_ROWS} are drawn; the table holds all.` : ''}`}
            csv={() => cellsCsv(found, metric.name)}
          >
            <ForestPlot rows={shown} margin={found.definition.margin ?? 0} name={title} />
          </ChartFrame>
        );
      })}
      <CompareCurves found={found} view={view} onView={onView} />
      <CellsTable found={found} />
    </Stack>
  );
}

/** How far the verdicts may be trusted, said before they are read. */
function Caveats({ found }: { readonly found: Comparison }): ReactElement {
  const weak = found.cells.filter(({ order }) => order === 'sessions' || order === 'sequential');
  const [first] = weak;
  return (
    <>
      {first && (
        <Alert p="xs" variant="outline" color="yellow" icon={<IconInfoCircle size={16} />}>
          {weak.length === found.cells.length ? 'All cells' : countNoun(weak.length, 'cell')} compare{' '}
          {orderText(first)}. Queue interleaved trials for a verdict that holds.
        </Alert>
      )}
      {found.refusals.map(({ contender, code, message }) => (
        <Text key={`${contender}${code}`} size="sm">
          {found.sides[contender]?.label}: {message}
        </Text>
      ))}
    </>
  );
}
