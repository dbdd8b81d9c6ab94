import { Alert, Button, Checkbox, Group, Modal, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import {
  type Channel,
  type ChannelEvent,
  type ChannelKind,
  type CreatedChannel,
  changeChannel,
  createChannel,
} from '@/api/notifications';
import { FailureState } from '@/components/FailureState';
import { Secret } from '@/components/Secret';
import { toProblem } from '@/lib/problem';
import { EVENT_NAMES, EVENTS, KINDS } from './words';

interface ChannelDialogProps {
  /** Edited; a new one when left out. */
  readonly channel?: Channel;
  readonly isMailConfigured: boolean;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly address: string;
  readonly events: ChannelEvent[];
  readonly isEnabled: boolean;
}

export function ChannelDialog({ channel, isMailConfigured, onClose }: ChannelDialogProps): ReactElement {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (draft: Draft): Promise<Channel | CreatedChannel> => write(channel, draft),
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['notifications'] });
      if (!secretOf(saved)) onClose();
    },
  });
  const secret = save.data && secretOf(save.data);
  const problem = save.error ? toProblem(save.error) : null;
  return (
    <Modal
      opened
      onClose={onClose}
      title={channel ? `Change “${channel.name}”` : 'Add a channel'}
      centered
      size="lg"
    >
      <Stack>
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        {secret ? (
          <>
            <Secret title="Key of the signature" value={secret}>
              Shown this once: the receiver checks every message with it.
            </Secret>
            <Group justify="flex-end">
              <Button onClick={onClose}>Done</Button>
            </Group>
          </>
        ) : (
          <ChannelForm
            channel={channel}
            isMailConfigured={isMailConfigured}
            isBusy={save.isPending}
            onSubmit={save.mutate}
          />
        )}
      </Stack>
    </Modal>
  );
}

function secretOf(saved: Channel | CreatedChannel): string | null {
  return 'secret' in saved ? saved.secret : null;
}

/** An address that was not typed anew stays as it is. */
function write(channel: Channel | undefined, draft: Draft): Promise<Channel | CreatedChannel> {
  const { name, kind, address, events, isEnabled } = draft;
  if (!channel) return createChannel({ name, kind, address, events, is_enabled: isEnabled });
  return changeChannel(channel.id, {
    name,
    address: address === '' ? null : address,
    events,
    is_enabled: isEnabled,
  });
}

interface ChannelFormProps extends Pick<ChannelDialogProps, 'channel' | 'isMailConfigured'> {
  readonly isBusy: boolean;
  readonly onSubmit: (draft: Draft) => void;
}

const DEFAULT_EVENTS: ChannelEvent[] = ['alert_confirmed', 'run_failed', 'schedule_broken'];

function ChannelForm({ channel, isMailConfigured, isBusy, onSubmit }: ChannelFormProps): ReactElement {
  const [draft, setDraft] = useState<Draft>({
    name: channel?.name ?? '',
    kind: channel?.kind ?? 'slack',
    address: '',
    events: channel?.events ?? DEFAULT_EVENTS,
    isEnabled: channel?.is_enabled ?? true,
  });
  const change = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(draft);
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <AddressFields draft={draft} channel={channel} onChange={change} />
      {draft.kind === 'email' && !isMailConfigured && (
        <Alert color="orange" variant="outline">
          This installation has no mail server yet: an administrator sets LOADSTONE_SMTP_URL.
        </Alert>
      )}
      <Checkbox.Group
        label="Told of"
        value={draft.events}
        onChange={(events) => change({ events: events as ChannelEvent[] })}
      >
        <Stack gap={6} mt={4}>
          {EVENT_NAMES.map((event) => (
            <Checkbox key={event} size="sm" value={event} label={EVENTS[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch
        label="Enabled"
        checked={draft.isEnabled}
        onChange={({ currentTarget }) => change({ isEnabled: currentTarget.checked })}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={isBusy}>
          {channel ? 'Save' : 'Add'}
        </Button>
      </Group>
    </Stack>
  );
}

interface AddressFieldsProps {
  readonly draft: Draft;
  readonly channel: Channel | undefined;
  readonly onChange: (patch: Partial<Draft>) => void;
}

function AddressFields({ draft, channel, onChange }: AddressFieldsProps): ReactElement {
  const kind = KINDS.find((one) => one.kind === draft.kind);
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Select
        label="Kind"
        allowDeselect={false}
        disabled={channel !== undefined}
        data={KINDS.map((one) => ({ value: one.kind, label: one.title }))}
        value={draft.kind}
        onChange={(chosen) => onChange({ kind: (chosen ?? 'slack') as ChannelKind })}
      />
      <TextInput
        label={kind?.address}
        description={channel ? `Now ${channel.address}; left empty it stays.` : undefined}
        placeholder={kind?.example}
        required={channel === undefined}
        maxLength={2000}
        autoComplete="off"
        value={draft.address}
        onChange={({ currentTarget }) => onChange({ address: currentTarget.value })}
      />
    </>
  );
}
