import { Group, Paper, Skeleton, Stack } from '@mantine/core';
import type { ReactElement } from 'react';

/** Placeholders of the shape of what is coming. */
export function TableSkeleton({ rows = 6, columns = 5 }: { rows?: number; columns?: number }): ReactElement {
  return (
    <Stack gap={10} aria-busy="true" aria-label="Loading a table" role="status">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Group key={row} wrap="nowrap" gap="md">
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
            <Skeleton key={column} height={18} style={{ flex: column === 0 ? 3 : 1 }} />
          ))}
        </Group>
      ))}
    </Stack>
  );
}

export function CardsSkeleton({
  count = 3,
  height = 150,
}: {
  count?: number;
  height?: number;
}): ReactElement {
  return (
    <div className="card-grid" aria-busy="true" role="status" aria-label="Loading cards">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Paper key={index} withBorder p="md">
          <Skeleton height={18} width="50%" mb="sm" />
          <Skeleton height={height - 50} />
        </Paper>
      ))}
    </div>
  );
}

export function ChartSkeleton({ height = 300 }: { height?: number }): ReactElement {
  return (
    <Paper withBorder p="sm" aria-busy="true" role="status" aria-label="Loading a chart">
      <Skeleton height={16} width={180} mb="sm" />
      <Skeleton height={height} />
    </Paper>
  );
}

export function PageSkeleton(): ReactElement {
  return (
    <Stack gap="md" aria-busy="true" role="status" aria-label="Loading the page">
      <Skeleton height={28} width={240} />
      <ChartSkeleton height={220} />
      <TableSkeleton rows={4} />
    </Stack>
  );
}
