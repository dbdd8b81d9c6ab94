import { Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Preview } from '@/api/plans';
import { formatCount } from '@/lib/format';
import { parameterTitle } from '@/lib/parameters';

/** The grid as a small table: one row a point. */
export function GridPreview({ preview }: { readonly preview: Preview }): ReactElement {
  const names = Object.keys(preview.points[0]?.parameters ?? {});
  const hidden = preview.point_count - preview.points.length;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="grid-preview" aria-label="The grid of points" tabIndex={0}>
        <Table stickyHeader className="data-table" verticalSpacing={2}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">#</Table.Th>
              {names.map((name) => (
                <Table.Th key={name} ta={name === 'target' ? 'left' : 'right'}>
                  {parameterTitle(name)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.points.map(({ ordinal, parameters }) => (
              <Table.Tr key={ordinal}>
                <Table.Td ta="right" c="dimmed">
                  {ordinal + 1}
                </Table.Td>
                {names.map((name) => (
                  <Table.Td key={name} ta={name === 'target' ? 'left' : 'right'}>
                    {gridCell(parameters[name])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {hidden > 0 && (
        <Text size="xs" c="dimmed">
          and {formatCount(hidden)} more
        </Text>
      )}
    </div>
  );
}

function gridCell(value: unknown): string {
  return typeof value === 'number'
    ? value.toLocaleString('en-US', { maximumFractionDigits: 6 })
    : String(value ?? '–');
}
