import { ActionIcon, Group, Menu, Paper, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { fileStem, saveText } from '@/lib/save-file';
import { LineNames } from './ChartLegend';
import { savePng, saveSvg } from './export-chart';
import type { ChartSeries } from './model';
import { useScheme } from './useScheme';

interface ChartFrameProps {
  readonly title: string;
  /** Stands before the title in the names of exported files. */
  readonly fileLabel: string;
  readonly series: readonly ChartSeries[];
  /** What the chart shows, in words: for everyone, and for screen readers in its place. */
  readonly sentence: string;
  /** The numbers as seen, as CSV. */
  readonly csv: () => string;
  readonly toggles?: ReactNode;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** Title and toggles above, export in the corner, the sentence below. */
export function ChartFrame(props: ChartFrameProps): ReactElement {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Paper withBorder p="sm" role="group" aria-label={props.title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs" mb={4}>
        <Title order={2} size="h6">
          {props.title}
        </Title>
        <Group gap={6} wrap="nowrap">
          {props.toggles}
          <ExportMenu frame={props} body={body} />
        </Group>
      </Group>
      <LineKeys series={props.series} />
      <div ref={body}>{props.children}</div>
      {props.note}
      <Text size="xs" c="dimmed" mt={4} className="chart-sentence">
        {props.sentence}
      </Text>
    </Paper>
  );
}

/** Tints of one colour need their names beside the chart itself; the page's legend knows targets only. */
function LineKeys({ series }: { readonly series: readonly ChartSeries[] }): ReactElement | null {
  return series.some(({ tint }) => tint) ? <LineNames series={series} /> : null;
}

interface ExportMenuProps {
  readonly frame: ChartFrameProps;
  readonly body: React.RefObject<HTMLDivElement | null>;
}

function ExportMenu({ frame, body }: ExportMenuProps): ReactElement {
  const scheme = useScheme();
  const name = fileStem(frame.fileLabel, frame.title);
  const request = () => {
    if (!body.current) throw new Error('The chart is not drawn yet.');
    return { figure: body.current, title: frame.title, series: frame.series, scheme };
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Export ${frame.title}`}>
          <IconDownload size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveText(`${name}.csv`, frame.csv())}>CSV</Menu.Item>
        <Menu.Item onClick={() => void savePng(name, request())}>PNG</Menu.Item>
        <Menu.Item onClick={() => saveSvg(name, request())}>SVG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
