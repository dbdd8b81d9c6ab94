import { Table } from '@mantine/core';
import type { ReactElement } from 'react';
import type { StoreKind } from '@/api/targets';

type Promise = StoreKind['profiles'][number]['equivalence'];

const ROWS: readonly (readonly [keyof Promise, string])[] = [
  ['durability', 'Durability'],
  ['consistency', 'Consistency'],
  ['batching', 'Batching'],
  ['connection_cost', 'Cost of a connection'],
];

/** What makes a profile comparable with those of other stores, or says why it is not. */
export function PromiseTable({ promise }: { readonly promise: Promise }): ReactElement {
  return (
    <Table variant="vertical" withTableBorder fz="xs" aria-label="What this profile promises">
      <Table.Tbody>
        {ROWS.map(([field, title]) => (
          <Table.Tr key={field}>
            <Table.Th w={120}>{title}</Table.Th>
            <Table.Td>{promise[field]}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
