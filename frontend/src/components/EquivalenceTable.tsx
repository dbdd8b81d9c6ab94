import { Table, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';

/** What a store promises and how it is spoken to: a short sentence each. */
export interface Promises {
  readonly durability: string;
  readonly consistency: string;
  readonly batching: string;
  readonly connection_cost: string;
}

export interface EquivalenceRow {
  readonly name: string;
  /** Null where nobody wrote it down: an external target, or an unknown profile. */
  readonly promises: Promises | null;
  /** Options set beside the profile: they may change what is promised. */
  readonly options: readonly string[];
}

const ASPECTS = [
  ['durability', 'Durability'],
  ['consistency', 'Consistency'],
  ['batching', 'Batching'],
  ['connection_cost', 'Cost of a connection'],
] as const;

interface EquivalenceTableProps {
  readonly rows: readonly EquivalenceRow[];
  /** In pixels; more scrolls inside. */
  readonly maxHeight?: number;
}

/** What makes unlike stores comparable, or says where they are not. */
export function EquivalenceTable({ rows, maxHeight }: EquivalenceTableProps): ReactElement | null {
  if (!rows.some(({ promises }) => promises !== null)) return null;
  return (
    <section aria-label="What the targets promise">
      <Title order={2} size="h6">
        What the targets promise
      </Title>
      <Text size="xs" c="dimmed" mb={4}>
        {difference(rows)}
      </Text>
      <Table.ScrollContainer
        minWidth={560}
        mah={maxHeight}
        type="native"
        tabIndex={0}
        role="region"
        aria-label="Durability, consistency, batching and cost of a connection, by target"
      >
        <Table fz="xs" verticalSpacing={4} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Target</Table.Th>
              {ASPECTS.map(([aspect, title]) => (
                <Table.Th key={aspect}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Row key={row.name} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function Row({ row }: { readonly row: EquivalenceRow }): ReactElement {
  const { name, promises, options } = row;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        {name}
        {options.length > 0 && (
          <Text size="xs" c="dimmed" fw={400} className="definition">
            with {options.join(', ')}
          </Text>
        )}
      </Table.Th>
      {promises ? (
        ASPECTS.map(([aspect]) => <Table.Td key={aspect}>{promises[aspect]}</Table.Td>)
      ) : (
        <Table.Td colSpan={ASPECTS.length} c="dimmed">
          Started by somebody else: what it promises is theirs to know.
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** Which of the four differ between the targets. */
function difference(rows: readonly EquivalenceRow[]): string {
  const known = rows.flatMap(({ promises }) => (promises ? [promises] : []));
  const unlike = ASPECTS.filter(([aspect]) => new Set(known.map((one) => one[aspect])).size > 1);
  if (known.length < 2) return 'Of this target.';
  if (unlike.length === 0) return 'The same in all of them: their numbers compare as they stand.';
  const named = unlike.map(([, title]) => title.toLowerCase());
  return `They differ in ${named.join(', ')}: part of any difference between their numbers is the price of that.`;
}
