import type { ReactElement, ReactNode } from 'react';
import { NumberField } from '@/components/NumberField';
import { useRefusal } from './findings';

interface PlanNumberProps {
  /** JSON path of the field in the plan. */
  readonly path: string;
  readonly label: string;
  readonly value: number | null | undefined;
  readonly onChange: (value: number) => void;
  readonly suffix?: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

/** A number of the plan with what is said against it. */
export function PlanNumber({ path, ...rest }: PlanNumberProps): ReactElement {
  return <NumberField size="xs" {...rest} error={useRefusal(path)} name={path} />;
}
