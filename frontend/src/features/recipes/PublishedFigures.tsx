import { Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { type RecipePublished, recipePublishedQuery } from '@/api/recipes';
import { ChartFrame, LineNames, XyChart } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { SourceButton } from '@/components/SourceDialog';
import { WhenVisible } from '@/components/WhenVisible';
import { toProblem } from '@/lib/problem';
import { describeFigures, type FigurePanel, figurePanels, figuresCsv, sourceFigures } from './figures';

/** What somebody measured before us, before anything has run here. */
export function PublishedFigures({ slug }: { readonly slug: string }): ReactElement {
  const published = useQuery(recipePublishedQuery(slug));
  if (published.isPending) return <ChartSkeleton />;
  if (!published.data) {
    const { code, detail } = toProblem(published.error);
    return (
      <FailureState
        what="The published figures could not be read"
        code={code}
        detail={detail}
        onRetry={() => published.refetch()}
      />
    );
  }
  return <Figures slug={slug} published={published.data} />;
}

/** Panels that are drawn before somebody asks for all. */
const FIRST_PANELS = 4;
const HEIGHT_PX = 240;

interface FiguresProps {
  readonly slug: string;
  readonly published: RecipePublished;
}

function Figures({ slug, published }: FiguresProps): ReactElement {
  const panels = useMemo(() => figurePanels(published), [published]);
  const metrics = metricsByPanels(panels);
  const [metric, setMetric] = useState(metrics[0] ?? '');
  const [isAll, setAll] = useState(false);
  const ofMetric = panels.filter((panel) => panel.metric === metric);
  const shown = isAll ? ofMetric : ofMetric.slice(0, FIRST_PANELS);
  return (
    <Stack gap="sm" component="section" aria-label="Published figures">
      <Group gap="sm" justify="space-between">
        <Title order={2} size="h4">
          The published figures
        </Title>
        <Group gap="sm">
          {metrics.length > 1 && (
            <Select
              size="xs"
              w={220}
              aria-label="Metric"
              allowDeselect={false}
              data={metrics}
              value={metric}
              onChange={(next) => setMetric(next ?? metric)}
            />
          )}
          {published.source && <SourceButton source={published.source} figures={sourceFigures(published)} />}
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        On their hardware, with their versions: a run of this recipe draws your curves over them, as ratios.
      </Text>
      <div className="chart-panels" data-many={shown.length > 2 || undefined}>
        {shown.map((panel) => (
          <WhenVisible key={panel.key} minHeight={HEIGHT_PX}>
            {() => <FigureChart panel={panel} slug={slug} csv={() => figuresCsv(published)} />}
          </WhenVisible>
        ))}
      </div>
      {ofMetric.length > FIRST_PANELS && (
        <Group justify="center">
          <Button size="xs" variant="default" onClick={() => setAll(!isAll)}>
            {isAll ? `Show ${FIRST_PANELS} only` : `Show all ${ofMetric.length} charts`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** What the source is mostly about comes first. */
function metricsByPanels(panels: readonly FigurePanel[]): string[] {
  const counts = new Map<string, number>();
  for (const { metric } of panels) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([metric]) => metric);
}

interface FigureChartProps {
  readonly panel: FigurePanel;
  readonly slug: string;
  readonly csv: () => string;
}

function FigureChart({ panel, slug, csv }: FigureChartProps): ReactElement {
  const { axis, names, series, quantity, metric, scenario } = panel;
  return (
    <ChartFrame
      title={capitalised(scenario || metric)}
      fileLabel={slug}
      series={series}
      sentence={describeFigures(panel)}
      csv={csv}
    >
      {axis !== null && <LineNames series={series} />}
      <XyChart
        name={`${scenario}, ${metric}`}
        height={HEIGHT_PX}
        series={series}
        x={{
          title: axis ?? 'system',
          quantity: 'plain',
          isLog: panel.isLogX,
          ...(axis === null ? { names } : {}),
        }}
        y={{ title: capitalised(metric), quantity, isLog: panel.isLogY }}
      />
    </ChartFrame>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
