import { FileButton, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { WorkloadDefinition } from '@/api/plans';
import { type Trace, tracesQuery, uploadTrace } from '@/api/traces';
import { toProblem } from '@/lib/problem';
import { useRefusal } from './findings';
import { SmallButton } from './SmallButton';
import { traceSentence, withTrace } from './trace-workload';

interface TraceFieldProps {
  readonly workload: WorkloadDefinition;
  readonly onChange: (workload: WorkloadDefinition) => void;
}

const NONE = 'none';

/** What was recorded is sent, in its order, in place of a mix and an access distribution. */
export function TraceField({ workload, onChange }: TraceFieldProps): ReactElement {
  const { data: traces } = useQuery(tracesQuery);
  const replay = (trace: Trace) => onChange(withTrace(workload, trace));
  const upload = useUpload(replay);
  const digest = workload.trace?.digest;
  const known = traces?.items ?? [];
  const chosen = known.find((trace) => trace.digest === digest);
  const choose = (value: string | null) => {
    const trace = known.find((one) => one.digest === value);
    if (trace) replay(trace);
    else if (value === NONE) onChange({ ...workload, trace: null });
  };
  const refusal = useRefusal('workload.trace');
  return (
    <Stack gap={4}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Select
          size="xs"
          flex={1}
          label="Replay a trace"
          data={choicesOf(known, digest)}
          value={digest ?? NONE}
          allowDeselect={false}
          error={upload.error ? toProblem(upload.error).detail : refusal}
          onChange={choose}
        />
        <FileButton accept=".csv,.txt,text/csv" onChange={(file) => file && upload.mutate(file)}>
          {(props) => (
            <SmallButton {...props} style={{ alignSelf: 'flex-end' }} mb={4} loading={upload.isPending}>
              Upload
            </SmallButton>
          )}
        </FileButton>
      </Group>
      <Text size="xs" c="dimmed">
        {chosen
          ? `${traceSentence(chosen)}.`
          : 'Lines of time,operation,key,size: seconds from 0, sorted; the size may be empty.'}
      </Text>
    </Stack>
  );
}

function useUpload(onUploaded: (trace: Trace) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: uploadTrace,
    onSuccess: (trace) => {
      void queries.invalidateQueries({ queryKey: tracesQuery.queryKey });
      onUploaded(trace);
    },
  });
}

/** A plan may name a trace that is in the archive: it is shown by its digest. */
function choicesOf(known: readonly Trace[], digest: string | undefined) {
  const isUnlisted = digest !== undefined && known.every((trace) => trace.digest !== digest);
  return [
    { value: NONE, label: 'none' },
    ...known.map((trace) => ({ value: trace.digest, label: trace.name })),
    ...(isUnlisted ? [{ value: digest, label: `${digest.slice(0, 12)}…` }] : []),
  ];
}
