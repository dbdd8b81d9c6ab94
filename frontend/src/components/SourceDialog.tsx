import { Anchor, Button, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatNumber } from '@/lib/format';

export interface SourceFacts {
  readonly title: string;
  readonly author: string | null;
  readonly year: number | null;
  readonly note: string | null;
  readonly url?: string | null;
}

/** One figure as the source prints it. */
export interface SourceFigure {
  readonly scenario: string;
  readonly system: string;
  readonly client: string | null;
  readonly at: string;
  readonly value: number | null;
  readonly unit: string;
  readonly note: string | null;
}

interface SourceButtonProps {
  readonly source: SourceFacts;
  readonly figures: readonly SourceFigure[];
}

/** Who published the figures, when, and every one of them as printed. */
export function SourceButton({ source, figures }: SourceButtonProps): ReactElement {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconBook2 size={13} aria-hidden="true" />}
        onClick={open}
      >
        Source
      </Button>
      <Modal opened={isOpen} onClose={close} title="Where the published figures are from" size="xl">
        <Stack gap="sm">
          <SourceLine source={source} />
          <Figures figures={figures} />
        </Stack>
      </Modal>
    </>
  );
}

/** Title, author and year, and what must be known about it. */
export function SourceLine({ source }: { readonly source: SourceFacts }): ReactElement {
  const { title, author, year, note, url } = source;
  const byWhom = [author, year].filter((part) => part !== null && part !== '').join(', ');
  return (
    <div>
      <Text size="sm">
        {url ? (
          <Anchor href={url} target="_blank" rel="noreferrer">
            {title}
          </Anchor>
        ) : (
          <span>“{title}”</span>
        )}
        {byWhom && ` (${byWhom})`}
      </Text>
      {note && (
        <Text size="xs" c="dimmed" mt={2}>
          {note}
        </Text>
      )}
    </div>
  );
}

function Figures({ figures }: Pick<SourceButtonProps, 'figures'>): ReactElement {
  return (
    <Table.ScrollContainer
      minWidth={0}
      mah={420}
      type="native"
      tabIndex={0}
      role="region"
      aria-label="Figures as published"
    >
      <Table className="data-table numbers" fz="xs" verticalSpacing={3} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>System</Table.Th>
            <Table.Th>Client</Table.Th>
            <Table.Th>At</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th>Unit</Table.Th>
            <Table.Th>Note</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {figures.map((figure, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a source may print the same figure twice, and rows hold no state
            <Table.Tr key={index}>
              <Table.Td>{figure.scenario}</Table.Td>
              <Table.Td>{figure.system}</Table.Td>
              <Table.Td>{figure.client || '–'}</Table.Td>
              <Table.Td>{figure.at || '–'}</Table.Td>
              <Table.Td ta="right">{formatNumber(figure.value, 7)}</Table.Td>
              <Table.Td>{figure.unit}</Table.Td>
              <Table.Td>{figure.note || ''}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
