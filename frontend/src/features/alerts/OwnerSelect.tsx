import { Select } from '@mantine/core';
import type { ReactElement } from 'react';

export interface Person {
  readonly id: string;
  readonly name: string;
}

interface OwnerSelectProps {
  readonly label: string;
  readonly people: readonly Person[];
  readonly value: string | null;
  readonly onOwner: (ownerId: string | null) => void;
  readonly isDisabled?: boolean;
  readonly size?: 'xs' | 'sm';
  /** What an empty field means. */
  readonly nobody?: string;
}

export function OwnerSelect(props: OwnerSelectProps): ReactElement {
  const { label, people, value, onOwner, isDisabled, size, nobody = 'nobody' } = props;
  return (
    <Select
      size={size}
      label={label}
      placeholder={nobody}
      clearable
      searchable
      disabled={isDisabled}
      data={people.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onOwner}
    />
  );
}
