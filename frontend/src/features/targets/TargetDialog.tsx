import { Button, Group, Modal, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { createTarget, type StoreKind, type Target, targetsQuery, updateTarget } from '@/api/targets';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import { messagesAt } from '@/lib/json-path';
import { toProblem } from '@/lib/problem';
import { ExternalFields } from './ExternalFields';
import { ManagedFields } from './ManagedFields';
import { draftOfTarget, kindChanged, newTargetDraft, type TargetDraft, toWriteTarget } from './target-draft';

interface TargetDialogProps {
  readonly kinds: readonly StoreKind[];
  /** Null for a new one. */
  readonly target: Target | null;
  readonly onClose: () => void;
}

export interface TargetFieldsProps {
  readonly draft: TargetDraft;
  readonly kind: StoreKind;
  readonly onChange: (patch: Partial<TargetDraft>) => void;
  readonly faultAt: (field: string) => string | undefined;
}

export function TargetDialog({ kinds, target, onClose }: TargetDialogProps): ReactElement | null {
  const first = kinds[0];
  if (!first) return null;
  const initial = target ? draftOfTarget(target) : newTargetDraft(first);
  return (
    <Modal opened onClose={onClose} title={target ? `Change ${target.name}` : 'New target'} size="lg">
      <TargetForm kinds={kinds} target={target} initial={initial} onClose={onClose} />
    </Modal>
  );
}

function useSave(target: Target | null, onClose: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: TargetDraft) => {
      const body = toWriteTarget(draft);
      return target ? updateTarget(target.id, body) : createTarget(body);
    },
    onSuccess: (saved) => {
      showDone(`Saved “${saved.name}”.`);
      onClose();
      return queries.invalidateQueries({ queryKey: targetsQuery.queryKey });
    },
  });
}

function TargetForm({
  kinds,
  target,
  initial,
  onClose,
}: TargetDialogProps & { readonly initial: TargetDraft }): ReactElement {
  const [draft, setDraft] = useState(initial);
  const save = useSave(target, onClose);
  const problem = save.error ? toProblem(save.error) : null;
  const kind = kinds.find((candidate) => candidate.kind === draft.kind) ?? kinds[0];
  if (!kind) return <span />;
  const fields: TargetFieldsProps = {
    draft,
    kind,
    onChange: (patch) => setDraft({ ...draft, ...patch }),
    faultAt: (field) =>
      messagesAt(problem?.errors ?? [], field)
        .map(({ message }) => message)
        .join(' ') || undefined,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft);
  };
  return (
    <Stack component="form" onSubmit={submit} aria-label="Target">
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <IdentityFields {...fields} kinds={kinds} onKind={(next) => setDraft(kindChanged(draft, next))} />
      {draft.mode === 'managed' ? (
        <ManagedFields {...fields} />
      ) : (
        <ExternalFields {...fields} hasPassword={target?.has_password ?? false} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}

interface IdentityFieldsProps extends TargetFieldsProps {
  readonly kinds: readonly StoreKind[];
  readonly onKind: (kind: StoreKind) => void;
}

function IdentityFields({
  draft,
  kind,
  kinds,
  onChange,
  onKind,
  faultAt,
}: IdentityFieldsProps): ReactElement {
  const choose = (name: string | null) => {
    const chosen = kinds.find((candidate) => candidate.kind === name);
    if (chosen) onKind(chosen);
  };
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={draft.name}
        error={faultAt('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <SegmentedControl
        aria-label="How it is reached"
        fullWidth
        data={[
          { value: 'managed', label: 'Started by the agent' },
          { value: 'external', label: 'Runs elsewhere' },
        ]}
        value={draft.mode}
        onChange={(mode) => onChange({ mode: mode as Target['mode'] })}
      />
      <Select
        label="Kind"
        allowDeselect={false}
        data={kinds.map(({ kind, title }) => ({ value: kind, label: title }))}
        value={draft.kind}
        error={faultAt('kind')}
        onChange={choose}
      />
      {kind.protocols.length > 1 && <ProtocolField {...{ draft, kind, onChange, faultAt }} />}
    </>
  );
}

function ProtocolField({ draft, kind, onChange, faultAt }: TargetFieldsProps): ReactElement {
  const spoken = kind.protocols.filter((one) => draft.mode === 'external' || !one.external_only);
  const chosen = spoken.find(({ protocol }) => protocol === draft.protocol) ?? spoken[0];
  return (
    <Select
      label="Protocol"
      allowDeselect={false}
      data={spoken.map(({ protocol, title }) => ({ value: protocol, label: title }))}
      value={chosen?.protocol ?? null}
      description={chosen?.meaning}
      error={faultAt('protocol')}
      onChange={(protocol) => onChange({ protocol: protocol as TargetDraft['protocol'] })}
    />
  );
}
