import { Text } from '@mantine/core';
import { createContext, type ReactElement, useContext } from 'react';
import { messagesAt, type PathMessage } from '@/lib/json-path';

/** What the api (or the parser of axes) says about the plan, to be shown at the field it names. */
export interface Findings {
  readonly refusals: readonly PathMessage[];
  readonly warnings: readonly PathMessage[];
}

const NO_FINDINGS: Findings = { refusals: [], warnings: [] };

export const FindingsContext = createContext<Findings>(NO_FINDINGS);

/** Where the workload that is being edited stands in the plan. */
export const WorkloadPath = createContext('workload');

/** Of the workload whose own load and end are being edited; null for the plan's. */
export const OwnPath = createContext<string | null>(null);

/** Fields of a workload name their path as if it were the only one, those of a load as if it were the plan's. */
function usePath(path: string): string {
  const workload = useContext(WorkloadPath);
  const own = useContext(OwnPath);
  if (path === 'workload' || path.startsWith('workload.'))
    return `${workload}${path.slice('workload'.length)}`;
  return own === null ? path : `${own}.${path}`;
}

/** The sentence that refuses this field, if there is one. */
export function useRefusal(path: string): string | undefined {
  const { refusals } = useContext(FindingsContext);
  const messages = messagesAt(refusals, usePath(path)).map(({ message }) => message);
  return messages.length > 0 ? [...new Set(messages)].join(' ') : undefined;
}

/** Refusals and warnings of a part of the form that is no input by itself. */
export function FieldFindings({
  path,
  onlyWarnings,
}: {
  path: string;
  onlyWarnings?: boolean;
}): ReactElement | null {
  const { refusals, warnings } = useContext(FindingsContext);
  const place = usePath(path);
  const refused = onlyWarnings ? [] : messagesAt(refusals, place);
  const warned = messagesAt(warnings, place);
  if (refused.length + warned.length === 0) return null;
  return (
    <div>
      {refused.map(({ code, message }) => (
        <Text key={`${code}${message}`} size="xs" c="var(--mantine-color-error)">
          {message}
        </Text>
      ))}
      {warned.map(({ code, message }) => (
        <Text key={`${code}${message}`} size="xs" c="var(--tone-warn)">
          {message}
        </Text>
      ))}
    </div>
  );
}
