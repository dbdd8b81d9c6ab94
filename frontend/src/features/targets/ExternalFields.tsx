import { Group, PasswordInput, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { NumberField } from '@/components/NumberField';
import type { TargetFieldsProps } from './TargetDialog';

const PORT_LABELS: Partial<Record<TargetFieldsProps['kind']['kind'], string>> = {
  memlink: 'Port of writes',
  mysql: 'Port of SQL',
};

/** The address of a store that runs elsewhere, and what may be done to it. */
export function ExternalFields(props: TargetFieldsProps & { readonly hasPassword: boolean }): ReactElement {
  const { draft, kind, onChange, faultAt } = props;
  const isMemlink = kind.kind === 'memlink';
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label="Host"
          required
          placeholder="10.0.0.7"
          value={draft.host}
          error={faultAt('host')}
          onChange={(event) => onChange({ host: event.currentTarget.value })}
        />
        <NumberField
          label={PORT_LABELS[kind.kind] ?? 'Port'}
          required
          value={draft.port}
          error={faultAt('port')}
          thousandSeparator=""
          onChange={(port) => onChange({ port: Number.isNaN(port) ? null : port })}
        />
        {isMemlink && <ReadPortField {...props} />}
        {kind.kind === 'mysql' && <PluginPortField {...props} />}
      </SimpleGrid>
      {!isMemlink && <ReplicaFields {...props} />}
      <Credentials {...props} />
      {!isMemlink && (
        <Switch
          label="Use TLS"
          checked={draft.usesTls}
          onChange={(event) => onChange({ usesTls: event.currentTarget.checked })}
        />
      )}
      {draft.usesTls && !isMemlink && <TlsFields {...props} />}
      <Switch
        label="A flush is allowed"
        description="Resetting between trials then deletes ALL data of this store, also what is not ours. It is done only where our marker key is found."
        checked={draft.flushAllowed}
        error={faultAt('flush_allowed')}
        onChange={(event) => onChange({ flushAllowed: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function ReadPortField({ draft, onChange, faultAt }: TargetFieldsProps): ReactElement {
  return (
    <NumberField
      label="Port of reads"
      placeholder={draft.port ? `${draft.port - 1}` : ''}
      value={draft.readPort}
      error={faultAt('read_port')}
      thousandSeparator=""
      onChange={(port) => onChange({ readPort: Number.isNaN(port) ? null : port })}
    />
  );
}

/** SQL sets the plugin up and watches it; its load goes to this port. */
function PluginPortField({ draft, onChange, faultAt }: TargetFieldsProps): ReactElement {
  return (
    <NumberField
      label="Port of its memcached plugin"
      placeholder="none"
      value={draft.pluginPort}
      error={faultAt('plugin_port')}
      thousandSeparator=""
      onChange={(port) => onChange({ pluginPort: Number.isNaN(port) ? null : port })}
    />
  );
}

/** Where reads go when they do not go where writes do. */
function ReplicaFields({ draft, onChange, faultAt }: TargetFieldsProps): ReactElement {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <TextInput
        label="Replica for reads: host"
        placeholder="none"
        value={draft.readHost}
        error={faultAt('read_host')}
        onChange={(event) => onChange({ readHost: event.currentTarget.value })}
      />
      <NumberField
        label="Its port"
        placeholder={draft.readHost ? `${draft.port ?? ''}` : 'none'}
        value={draft.readPort}
        error={faultAt('read_port')}
        thousandSeparator=""
        onChange={(port) => onChange({ readPort: Number.isNaN(port) ? null : port })}
      />
    </SimpleGrid>
  );
}

function Credentials({
  draft,
  kind,
  onChange,
  faultAt,
  hasPassword,
}: TargetFieldsProps & { hasPassword: boolean }): ReactElement | null {
  if (kind.kind === 'memcached' || kind.kind === 'memlink') return null;
  return (
    <SimpleGrid cols={2}>
      <TextInput
        label="User"
        autoComplete="off"
        value={draft.username}
        error={faultAt('username')}
        onChange={(event) => onChange({ username: event.currentTarget.value })}
      />
      <PasswordInput
        label="Password"
        autoComplete="new-password"
        placeholder={hasPassword && draft.password === null ? 'kept as it is' : ''}
        value={draft.password ?? ''}
        error={faultAt('password')}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      <TextInput
        label="Database"
        autoComplete="off"
        placeholder={kind.kind === 'redis' || kind.kind === 'valkey' ? '0' : 'loadstone'}
        value={draft.database}
        error={faultAt('database')}
        onChange={(event) => onChange({ database: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}

function TlsFields({ draft, onChange, faultAt }: TargetFieldsProps): ReactElement {
  return (
    <>
      <Group align="flex-end" grow>
        <TextInput
          label="Server name"
          placeholder={draft.host || 'the host'}
          value={draft.serverName}
          error={faultAt('tls.server_name')}
          onChange={(event) => onChange({ serverName: event.currentTarget.value })}
        />
        <Switch
          label="Verify the certificate"
          checked={draft.verifiesCertificate}
          onChange={(event) => onChange({ verifiesCertificate: event.currentTarget.checked })}
        />
      </Group>
      <Textarea
        label="Certificate authority (PEM)"
        description="Empty: what the agent's system trusts."
        autosize
        minRows={2}
        maxRows={6}
        value={draft.caPem}
        error={faultAt('tls.ca_pem')}
        onChange={(event) => onChange({ caPem: event.currentTarget.value })}
      />
    </>
  );
}
