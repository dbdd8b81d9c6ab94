import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { type HeatMap, heatMapQuery, type TimeKind } from '@/api/latency';
import { ChartFrame, type ChartSeries, HeatChart } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { toProblem } from '@/lib/problem';
import { describeHeatMap, heatCsv } from './spectra';

interface HeatPanelProps {
  readonly trials: { readonly value: string; readonly label: string }[];
  readonly trialId: string;
  readonly onTrial: (trialId: string) => void;
  readonly operation: string | undefined;
  readonly kind: TimeKind;
  readonly fileLabel: string;
}

const NO_LINES: readonly ChartSeries[] = [];

/** One trial: how its answers' times were spread, second by second. */
export function HeatPanel(props: HeatPanelProps): ReactElement {
  const heat = useQuery(heatMapQuery(props.trialId, props.operation, props.kind));
  return (
    <Stack gap="xs">
      <Select
        size="xs"
        maw={520}
        label="Trial"
        searchable
        allowDeselect={false}
        data={props.trials}
        value={props.trialId}
        onChange={(trial) => trial && props.onTrial(trial)}
      />
      {heat.isPending && <ChartSkeleton height={300} />}
      {heat.isError && (
        <FailureState
          what="The heat map could not be read"
          code={toProblem(heat.error).code}
          detail={toProblem(heat.error).detail}
          onRetry={() => heat.refetch()}
        />
      )}
      {heat.data && <Drawn heat={heat.data} fileLabel={props.fileLabel} />}
    </Stack>
  );
}

function Drawn({ heat, fileLabel }: { readonly heat: HeatMap; readonly fileLabel: string }): ReactElement {
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
      title={`${title} over time: darker where more answers lie`}
      fileLabel={fileLabel}
      series={NO_LINES}
      sentence={describeHeatMap(heat)}
      csv={() => heatCsv(heat)}
    >
      {heat.edges_ns.length > 0 && <HeatChart cells={cells} name={`${title} over time`} />}
    </ChartFrame>
  );
}
