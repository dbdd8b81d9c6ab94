import type { ReactElement } from 'react';
import { ConfirmDialog } from './ConfirmDialog';

interface CancelRunDialogProps {
  readonly runName: string;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function CancelRunDialog({ runName, ...rest }: CancelRunDialogProps): ReactElement {
  return (
    <ConfirmDialog {...rest} title={`Cancel “${runName}”?`} confirmLabel="Cancel the run">
      The trial under way is stopped and its numbers are discarded; trials that have ended stay. The rest will
      not be executed.
    </ConfirmDialog>
  );
}
