import { Textarea } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { readPlanText } from './draft';

interface PlanTextProps {
  readonly definition: PlanDefinition;
  readonly onDefinition: (definition: PlanDefinition) => void;
}

/** The same plan as JSON: follows the form, and the form follows it once it can be read. */
export function PlanText({ definition, onDefinition }: PlanTextProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const edit = (text: string) => {
    setTyped(text);
    const read = readPlanText(text);
    setFault(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onDefinition(read);
  };
  return (
    <Textarea
      label="The plan as JSON"
      description="Edit it here or in the form."
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      value={typed ?? JSON.stringify(definition, null, 2)}
      error={fault}
      onChange={(event) => edit(event.currentTarget.value)}
      // Text that was read is dropped for the form's; what cannot be read stays to be mended.
      onBlur={() => fault === null && setTyped(null)}
      classNames={{ input: 'definition' }}
    />
  );
}
