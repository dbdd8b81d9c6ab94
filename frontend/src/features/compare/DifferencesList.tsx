import { Anchor, Paper, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement } from 'react';
import type { Comparison } from '@/api/comparisons';
import { countNoun } from '@/lib/format';

const SHOWN_AT_FIRST = 6;
const KINDS = {
  store_version: 'store',
  engine: 'engine',
  configuration: 'configuration',
  plan: 'plan',
  environment: 'environment',
} as const;

/** What else is not the same on all sides, most telling first. */
export function DifferencesList({ found }: { readonly found: Comparison }): ReactElement {
  const [isAll, { toggle }] = useDisclosure(false);
  const { differences, sides } = found;
  const shown = isAll ? differences : differences.slice(0, SHOWN_AT_FIRST);
  return (
    <Paper withBorder p="sm" component="section" aria-label="Differences">
      <Title order={2} size="h6" mb={4}>
        What differs
      </Title>
      {differences.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is known to differ: same plan, store version, effective configuration, engine and
          environment.
        </Text>
      ) : (
        <DifferenceTable differences={shown} sides={sides} />
      )}
      {differences.length > SHOWN_AT_FIRST && (
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={isAll}>
          {isAll ? 'Show the most telling only' : `Show all ${countNoun(differences.length, 'difference')}`}
        </Anchor>
      )}
    </Paper>
  );
}

function DifferenceTable({ differences, sides }: Pick<Comparison, 'differences' | 'sides'>): ReactElement {
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="What differs">
      <Table className="data-table" verticalSpacing={3} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Kind</Table.Th>
            <Table.Th>What</Table.Th>
            {sides.map(({ index, label }) => (
              <Table.Th key={index}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ kind, path, values }) => (
            <Table.Tr key={`${kind}${path}`}>
              <Table.Td c="dimmed">{KINDS[kind]}</Table.Td>
              <Table.Td>{path}</Table.Td>
              {values.map((value, index) => (
                <Table.Td key={sides[index]?.index} className="wraps">
                  {value ?? '–'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
