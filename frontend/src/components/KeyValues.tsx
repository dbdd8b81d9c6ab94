import { Table } from '@mantine/core';
import type { ReactElement } from 'react';

/** Names and values as a machine reported them, untouched. */
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
              <Table.Td className="definition">{textOf(value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
