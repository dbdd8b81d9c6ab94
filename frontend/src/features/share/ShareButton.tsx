import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShare2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useMay } from '@/api/use-may';
import { ShareDialog, type ShareSubject } from './ShareDialog';

/** Opens the dialog that makes links to what is seen now. */
export function ShareButton(props: ShareSubject): ReactElement | null {
  const mayEdit = useMay('editor');
  const [isOpen, dialog] = useDisclosure(false);
  if (!mayEdit) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconShare2 size={15} aria-hidden="true" />}
        onClick={dialog.open}
      >
        Share
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Share by link" size="lg">
        {isOpen && <ShareDialog {...props} />}
      </Modal>
    </>
  );
}
