import { UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';

interface ScaleToggleProps {
  /** As short as it stands in the corner: "log y". */
  readonly label: string;
  /** Of which chart, for those who hear it. */
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function ScaleToggle({ label, name, isOn, onChange }: ScaleToggleProps): ReactElement {
  return (
    <UnstyledButton
      className="scale-toggle"
      aria-pressed={isOn}
      aria-label={`${label}: ${name}`}
      title={isOn ? 'Logarithmic: press for linear' : 'Linear: press for logarithmic'}
      onClick={() => onChange(!isOn)}
    >
      {label}
    </UnstyledButton>
  );
}
