import { Table } from '@mantine/core';
import type { ReactElement } from 'react';
import { formatBytes } from '@/lib/format';

/** Names and values as a machine reported them; a number of bytes is told in larger units too. */
export function KeyValues({ values }: { readonly values: Readonly<Record<string, unknown>> }): ReactElement {
  return (
    <Table.ScrollContainer
      minWidth={0}
      type="native"
      mah={320}
      className="key-values"
      tabIndex={0}
      role="region"
      aria-label="Names and values"
    >
      <Table fz="xs" verticalSpacing={2} withRowBorders={false} variant="vertical">
        <Table.Tbody>
          {Object.entries(values).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td className="definition">{textOf(name, value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number' && name.endsWith('_bytes')) return `${value} (${formatBytes(value)})`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
