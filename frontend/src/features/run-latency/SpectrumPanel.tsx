import { Table } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { type Spectrum, spectrumQuery, type TimeKind } from '@/api/latency';
import type { Run } from '@/api/runs';
import { ChartFrame, ChartLegend, XyChart, type Zoom, ZoomSlider } from '@/components/charts';
import { FailureState } from '@/components/FailureState';
import { ChartSkeleton } from '@/components/Skeletons';
import { formatNs } from '@/lib/format';
import { describeAmong } from '@/lib/parameters';
import { toProblem } from '@/lib/problem';
import { byWorkload, describeSpectra, spectraCsv, spectrumLines, valueAt } from './spectra';

interface SpectrumPanelProps {
  readonly run: Run;
  readonly pointIds: readonly string[];
  readonly operation: string;
  readonly kind: TimeKind;
}

/** Percentiles on an axis of nines: 90, 99, 99.9 % stand equally far apart. */
export function SpectrumPanel({ run, pointIds, operation, kind }: SpectrumPanelProps): ReactElement {
  const found = useQueries({
    queries: pointIds.map((id) => spectrumQuery(id, operation, kind)),
    combine: (results) => ({
      spectra: results.flatMap(({ data }) => (data ? [data] : [])),
      isPending: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error)?.error,
      refetch: () => results.forEach((result) => void result.refetch()),
    }),
  });
  if (found.isPending) return <ChartSkeleton height={340} />;
  if (found.error) {
    const { code, detail } = toProblem(found.error);
    return (
      <FailureState
        what="The percentiles could not be read"
        code={code}
        detail={detail}
        onRetry={found.refetch}
      />
    );
  }
  const groups = byWorkload(found.spectra);
  return (
    <div className="chart-panels">
      {groups.map(({ name, spectra }) => (
        <SpectrumChart
          key={name ?? ''}
          run={run}
          spectra={spectra}
          kind={kind}
          workload={groups.length > 1 ? name : null}
          shared={groups.length > 1 ? found.spectra : spectra}
        />
      ))}
    </div>
  );
}

/** Where the ticks stand: 0 %, 90 %, 99 % ... as far as there are answers. */
function ninesAxis(spectra: readonly Spectrum[]) {
  const most = spectra.reduce((largest, { count }) => Math.max(largest, count), 10);
  const decades = Math.ceil(Math.log10(most));
  const ticks = [1, 2, ...Array.from({ length: decades }, (_, index) => 10 ** (index + 1))];
  return { domain: [1, most * 1.1] as [number, number], ticks: ticks.filter((tick) => tick <= most * 1.1) };
}

interface SpectrumChartProps extends Pick<SpectrumPanelProps, 'run' | 'kind'> {
  readonly spectra: readonly Spectrum[];
  /** Null where there is one chart for all. */
  readonly workload: string | null;
  /** Everything that shares the scale. */
  readonly shared: readonly Spectrum[];
}

function SpectrumChart({ run, spectra, kind, workload, shared }: SpectrumChartProps): ReactElement {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const series = useMemo(() => spectrumLines(run, spectra), [run, spectra]);
  const shown = series.filter(({ key }) => !hidden.has(key));
  const whole = ninesAxis(shared);
  const title = kind === 'service' ? 'Service time' : 'Response time';
  const toggle = (key: string) =>
    setHidden(new Set(hidden.has(key) ? [...hidden].filter((one) => one !== key) : [...hidden, key]));
  return (
    <ChartFrame
      title={`${title}, every percentile${workload === null ? '' : `: ${workload}`}`}
      fileLabel={run.name}
      series={shown}
      sentence={describeSpectra(spectra)}
      csv={() => spectraCsv(spectra)}
      note={<SpectrumTable spectra={spectra} />}
    >
      <ChartLegend
        series={series}
        hidden={hidden}
        onToggle={toggle}
        onIsolate={(key) => setHidden(new Set(series.map((one) => one.key).filter((one) => one !== key)))}
      />
      <XyChart
        name={`${title} by percentile${workload === null ? '' : `, ${workload}`}`}
        height={340}
        series={shown}
        x={{ title: 'Percentile', quantity: 'nines', isLog: true }}
        y={{ title, quantity: 'duration', isLog: true, values: shared.flatMap(timesOf) }}
        xLimits={
          zoom
            ? {
                domain: [...zoom] as [number, number],
                ticks: whole.ticks.filter((tick) => tick >= zoom[0] && tick <= zoom[1]),
              }
            : whole
        }
        zoom={zoom}
        onZoom={setZoom}
      />
      <ZoomSlider values={whole.ticks} zoom={zoom} onZoom={setZoom} label="percentiles" format={nines} />
    </ChartFrame>
  );
}

function timesOf({ items }: Spectrum): number[] {
  return items.map(({ value_ns }) => value_ns);
}

function nines(oneIn: number): string {
  return oneIn === 1 ? 'all' : `slowest 1 in ${oneIn.toLocaleString('en-US')}`;
}

const COLUMNS = [
  { title: 'p50', oneIn: 2 },
  { title: 'p90', oneIn: 10 },
  { title: 'p99', oneIn: 100 },
  { title: 'p99.9', oneIn: 1000 },
  { title: 'p99.99', oneIn: 10_000 },
  { title: 'p99.999', oneIn: 100_000 },
] as const;

function SpectrumTable({ spectra }: { readonly spectra: readonly Spectrum[] }): ReactElement {
  const all = spectra.map(({ parameters }) => parameters);
  return (
    <Table.ScrollContainer
      minWidth={0}
      type="native"
      tabIndex={0}
      role="region"
      aria-label="Percentiles as numbers"
    >
      <Table className="data-table numbers" fz="xs" verticalSpacing={3}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Point</Table.Th>
            {COLUMNS.map(({ title }) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
            <Table.Th ta="right">max</Table.Th>
            <Table.Th ta="right">answers</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {spectra.map((spectrum) => (
            <Table.Tr key={spectrum.point_id}>
              <Table.Td>{describeAmong(spectrum.parameters, all)}</Table.Td>
              {COLUMNS.map(({ title, oneIn }) => (
                <Table.Td key={title} ta="right">
                  {formatNs(spectrum.count >= oneIn ? valueAt(spectrum, oneIn) : null)}
                </Table.Td>
              ))}
              <Table.Td ta="right">{formatNs(spectrum.items.at(-1)?.value_ns)}</Table.Td>
              <Table.Td ta="right">{spectrum.count.toLocaleString('en-US')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
