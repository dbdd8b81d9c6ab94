import { Group, Kbd, Modal, Table } from '@mantine/core';
import type { ReactElement } from 'react';
import { SHORTCUTS } from './shortcuts';

export function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactElement {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard" centered>
      <Table>
        <Table.Tbody>
          {SHORTCUTS.map(({ keys, does }) => (
            <Table.Tr key={does}>
              <Table.Td>
                <Group gap={4} wrap="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
