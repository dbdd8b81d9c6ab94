import { NumberInput, type NumberInputProps } from '@mantine/core';
import type { ReactElement } from 'react';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value: number | null | undefined;
  /** NaN while the field is empty, so that the refusal comes from the one place that knows the rules. */
  readonly onChange: (value: number) => void;
}

export function NumberField({ value, onChange, ...rest }: NumberFieldProps): ReactElement {
  const isEmpty = value === null || value === undefined || Number.isNaN(value);
  return (
    <NumberInput
      {...rest}
      value={isEmpty ? '' : value}
      onChange={(next) => onChange(next === '' ? Number.NaN : Number(next))}
      thousandSeparator=","
      hideControls
      classNames={{ input: 'numbers' }}
    />
  );
}
