import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { type HeatMap, heatMapQuery, type TimeKind } from '@/api/latency';
import { ChartFrame, type ChartSeries, HeatChart, HeatLegend } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { HeatTable } from './HeatTable';
import { describeHeatMap, heatCsv, heatLimits } from './spectra';

export interface HeatTrial {
  readonly value: string;
  readonly label: string;
}

interface HeatPanelProps {
  readonly trials: readonly HeatTrial[];
  /** Those that are drawn, each a map; all share a scale. */
  readonly chosen: readonly string[];
  readonly onTrials: (trialIds: string[]) => void;
  readonly operation: string | undefined;
  readonly kind: TimeKind;
  readonly fileLabel: string;
}

const NO_LINES: readonly ChartSeries[] = [];
export const MOST_MAPS = 12;

/** How the answers' times were spread, second by second: one map a trial. */
export function HeatPanel(props: HeatPanelProps): ReactElement {
  const { trials, chosen, operation, kind } = props;
  const heats = useQueries({ queries: chosen.map((id) => heatMapQuery(id, operation, kind)) });
  const read = heats.flatMap(({ data }) => (data ? [data] : []));
  const shared = useMemo(() => heatLimits(read), [read]);
  return (
    <Stack gap="xs">
      <MultiSelect
        size="xs"
        label="Trials, a map each"
        searchable
        hidePickedOptions
        maxValues={MOST_MAPS}
        data={[...trials]}
        value={[...chosen]}
        onChange={(next) => next.length > 0 && props.onTrials(next)}
      />
      <HeatLegend />
      <div className="chart-panels" data-many={chosen.length > 2 || undefined}>
        {heats.map((heat, place) => {
          const id = chosen[place] ?? '';
          const label = trials.find(({ value }) => value === id)?.label ?? id;
          if (heat.data) {
            return <Drawn key={id} {...props} heat={heat.data} label={label} shared={shared} />;
          }
          if (heat.isPending) return <ChartSkeleton key={id} height={300} />;
          const { code, detail } = toProblem(heat.error);
          const what = `The heat map of ${label} could not be read`;
          return (
            <FailureState key={id} what={what} code={code} detail={detail} onRetry={() => heat.refetch()} />
          );
        })}
      </div>
    </Stack>
  );
}

interface DrawnProps extends Pick<HeatPanelProps, 'fileLabel'> {
  readonly heat: HeatMap;
  readonly label: string;
  readonly shared: readonly [number, number] | undefined;
}

function Drawn({ heat, label, shared, fileLabel }: DrawnProps): ReactElement {
  const [isTable, setTable] = useState(false);
  const cells = useMemo(
    () => ({
      edges: heat.edges_ns,
      columns: heat.columns.map(({ from_s, to_s, counts }) => ({ from: from_s, to: to_s, counts })),
    }),
    [heat],
  );
  const title = heat.kind === 'service' ? 'Service time' : 'Response time';
  return (
    <ChartFrame
      title={`${title} over time: ${label}`}
      fileLabel={fileLabel}
      series={NO_LINES}
      sentence={describeHeatMap(heat)}
      csv={() => heatCsv(heat)}
      note={isTable && <HeatTable heat={heat} label={label} />}
      toggles={
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isTable}
          onClick={() => setTable(!isTable)}
        >
          table
        </Button>
      }
    >
      {heat.edges_ns.length > 0 ? (
        <HeatChart cells={cells} name={`${title} over time, ${label}`} shared={shared} />
      ) : (
        <Group h={120} justify="center">
          <Text size="sm" c="dimmed">
            No answer was measured.
          </Text>
        </Group>
      )}
    </ChartFrame>
  );
}
