import { Anchor, List, Stack, Text, Textarea } from '@mantine/core';
import { type ReactElement, useContext, useMemo, useRef, useState } from 'react';
import type { PlanDefinition } from '@/api/plans';
import { FindingsContext } from './findings';
import { faultsAtLines, readPlan, type TextFault, writePlan } from './plan-yaml';

interface PlanTextProps {
  readonly definition: PlanDefinition;
  readonly onDefinition: (definition: PlanDefinition) => void;
}

/** The same plan as YAML: follows the form, and the form follows it once it can be read. */
export function PlanText({ definition, onDefinition }: PlanTextProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const { refusals } = useContext(FindingsContext);
  const field = useRef<HTMLTextAreaElement>(null);
  const text = typed ?? writePlan(definition);
  const read = useMemo(() => readPlan(text), [text]);
  const isRead = read.definition !== null;
  const faults = isRead ? faultsAtLines(refusals, read) : read.faults;
  const edit = (next: string) => {
    setTyped(next);
    const { definition: plan } = readPlan(next);
    if (plan) onDefinition(plan);
  };
  return (
    <Stack gap={4}>
      <Textarea
        ref={field}
        label="The plan as YAML"
        description="Edit it here or in the form; JSON can be pasted too."
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        value={text}
        error={faults.length > 0}
        onChange={(event) => edit(event.currentTarget.value)}
        // Text that was read is dropped for the form's; what cannot be read stays to be mended.
        onBlur={() => isRead && setTyped(null)}
        classNames={{ input: 'definition' }}
      />
      <Faults faults={faults} onGoTo={(line) => goToLine(field.current, line)} />
    </Stack>
  );
}

interface FaultsProps {
  readonly faults: readonly TextFault[];
  readonly onGoTo: (line: number) => void;
}

function Faults({ faults, onGoTo }: FaultsProps): ReactElement | null {
  if (faults.length === 0) return null;
  return (
    <List size="xs" spacing={2} aria-label="Faults of the text" role="list">
      {faults.map(({ line, message }) => (
        <List.Item key={`${line}${message}`}>
          {line !== null && (
            <Anchor component="button" type="button" size="xs" onClick={() => onGoTo(line)}>
              Line {line}
            </Anchor>
          )}
          <Text size="xs" span c="var(--mantine-color-error)">
            {line === null ? message : `: ${message}`}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}

function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (!field) return;
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}
