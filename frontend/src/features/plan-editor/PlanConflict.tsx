import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { FailureState } from '@/components/FailureState';

interface PlanConflictProps {
  readonly detail: string;
  readonly isBusy: boolean;
  readonly onSaveAsNew: () => void;
  readonly onReload: () => void;
}

/** Somebody else saved the plan meanwhile: what was typed here stays until one of the two is chosen. */
export function PlanConflict({ detail, isBusy, onSaveAsNew, onReload }: PlanConflictProps): ReactElement {
  return (
    <FailureState what="Somebody else has saved this plan" code="plan_changed" detail={detail}>
      <Button size="compact-sm" loading={isBusy} onClick={onSaveAsNew}>
        Save mine as a new plan
      </Button>
      <Button size="compact-sm" variant="default" onClick={onReload}>
        Drop mine, open the newest
      </Button>
    </FailureState>
  );
}
