/** A target while it is being written. Pure. */
import type { StoreKind, Target, WriteTarget } from '@/api/targets';

export interface TargetDraft {
  readonly name: string;
  readonly kind: StoreKind['kind'];
  readonly mode: Target['mode'];
  /** Null is the kind's first. */
  readonly protocol: Target['protocol'];
  readonly profile: string;
  readonly options: Readonly<Record<string, string>>;
  /** As the kernel writes CPU lists; empty is the agent's own choice. */
  readonly cpus: string;
  readonly memoryLimitMib: number | null;
  readonly dataDirectory: string;
  readonly dropsPageCache: boolean;
  readonly host: string;
  readonly port: number | null;
  /** Of Memlink's reads, or of a replica. */
  readonly readPort: number | null;
  /** Of a replica that reads go to. */
  readonly readHost: string;
  /** Of an external MySQL's memcached plugin. */
  readonly pluginPort: number | null;
  readonly username: string;
  readonly database: string;
  /** Null leaves the stored one as it is; empty removes it. */
  readonly password: string | null;
  readonly usesTls: boolean;
  readonly serverName: string;
  readonly caPem: string;
  readonly verifiesCertificate: boolean;
  readonly flushAllowed: boolean;
}

const DEFAULT_PORTS: Record<StoreKind['kind'], number> = {
  memcached: 11211,
  redis: 6379,
  valkey: 6379,
  mysql: 3306,
  mariadb: 3306,
  postgresql: 5432,
  mongodb: 27017,
  ferretdb: 27017,
  memlink: 11002,
};
const MIB = 1024 * 1024;

export function newTargetDraft(kind: StoreKind): TargetDraft {
  return {
    name: '',
    kind: kind.kind,
    mode: 'managed',
    protocol: null,
    profile: kind.profiles[0]?.name ?? '',
    options: {},
    cpus: '',
    memoryLimitMib: null,
    dataDirectory: '',
    dropsPageCache: false,
    host: '',
    port: DEFAULT_PORTS[kind.kind],
    readPort: null,
    readHost: '',
    pluginPort: null,
    username: '',
    database: '',
    password: null,
    usesTls: false,
    serverName: '',
    caPem: '',
    verifiesCertificate: true,
    flushAllowed: false,
  };
}

export function draftOfTarget(target: Target): TargetDraft {
  return {
    name: target.name,
    kind: target.kind,
    mode: target.mode,
    protocol: target.protocol,
    profile: target.profile ?? '',
    options: target.options,
    cpus: target.placement.cpus ?? '',
    memoryLimitMib: target.placement.memory_limit_bytes
      ? Math.round(target.placement.memory_limit_bytes / MIB)
      : null,
    dataDirectory: target.placement.data_directory ?? '',
    dropsPageCache: target.placement.drop_page_cache,
    host: target.host ?? '',
    port: target.port,
    readPort: target.read_port,
    readHost: target.read_host ?? '',
    pluginPort: target.plugin_port,
    username: target.username ?? '',
    database: target.database ?? '',
    password: null,
    usesTls: target.tls !== null,
    serverName: target.tls?.server_name ?? '',
    caPem: target.tls?.ca_pem ?? '',
    verifiesCertificate: target.tls?.verify_certificate ?? true,
    flushAllowed: target.flush_allowed,
  };
}

/** Of the two kinds of fields only those of the mode are sent. */
export function toWriteTarget(draft: TargetDraft): WriteTarget {
  const { name, kind, mode, protocol } = draft;
  if (mode === 'managed') {
    return {
      name,
      kind,
      mode,
      protocol,
      profile: draft.profile,
      options: filled(draft.options),
      placement: placementOf(draft),
      flush_allowed: false,
    };
  }
  return {
    name,
    kind,
    mode,
    protocol,
    options: {},
    host: draft.host.trim() || null,
    port: draft.port,
    read_port: draft.readPort,
    read_host: draft.readHost.trim() || null,
    plugin_port: draft.pluginPort,
    username: draft.username.trim() || null,
    database: draft.database.trim() || null,
    ...(draft.password === null ? {} : { password: draft.password === '' ? null : draft.password }),
    tls: draft.usesTls ? tlsOf(draft) : null,
    flush_allowed: draft.flushAllowed,
  };
}

function placementOf(draft: TargetDraft): WriteTarget['placement'] {
  return {
    cpus: draft.cpus.replaceAll(' ', '') || null,
    memory_limit_bytes: draft.memoryLimitMib === null ? null : draft.memoryLimitMib * MIB,
    data_directory: draft.dataDirectory.trim() || null,
    drop_page_cache: draft.dropsPageCache,
  };
}

function tlsOf(draft: TargetDraft): WriteTarget['tls'] {
  return {
    server_name: draft.serverName.trim() || draft.host.trim(),
    ca_pem: draft.caPem.trim() || null,
    verify_certificate: draft.verifiesCertificate,
  };
}

/** An option that was cleared follows its profile again. */
function filled(options: TargetDraft['options']): Record<string, string> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value.trim() !== ''));
}

export function kindChanged(draft: TargetDraft, kind: StoreKind): TargetDraft {
  return {
    ...draft,
    kind: kind.kind,
    protocol: null,
    profile: kind.profiles[0]?.name ?? '',
    options: {},
    port: DEFAULT_PORTS[kind.kind],
    readPort: null,
    readHost: '',
    pluginPort: null,
  };
}
