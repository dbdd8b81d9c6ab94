import { describe, expect, it } from 'vitest';
import type { StoreKind, Target } from '@/api/targets';
import { draftOfTarget, kindChanged, newTargetDraft, toWriteTarget } from './target-draft';

const REDIS: StoreKind = {
  kind: 'redis',
  title: 'Redis',
  protocols: [
    { protocol: 'redis', title: 'RESP', meaning: '', operations: ['get', 'set'], external_only: false },
  ],
  profiles: [
    {
      name: 'none',
      title: 'no persistence',
      meaning: '',
      options: {},
      equivalence: { durability: '', consistency: '', batching: '', connection_cost: '' },
    },
  ],
  options: [],
};
const SAVED: Target = {
  id: 't',
  name: 'shop cache',
  kind: 'redis',
  mode: 'external',
  protocol: null,
  profile: null,
  options: {},
  host: 'cache.example',
  port: 6380,
  read_port: null,
  read_host: null,
  plugin_port: null,
  placement: { cpus: null, memory_limit_bytes: null, data_directory: null, drop_page_cache: false },
  username: null,
  database: null,
  has_password: true,
  tls: null,
  flush_allowed: false,
  created_at: '2026-11-21T12:00:00Z',
  updated_at: '2026-11-21T12:00:00Z',
  last_check: null,
};

describe('a target as it is sent', () => {
  it('has a profile and only filled options when the agent starts it', () => {
    const draft = {
      ...newTargetDraft(REDIS),
      name: 'n',
      host: 'left over',
      options: { maxmemory: '1gb', save: ' ' },
    };
    const sent = toWriteTarget(draft);
    expect(sent).toMatchObject({ mode: 'managed', profile: 'none', options: { maxmemory: '1gb' } });
    expect(sent).not.toHaveProperty('host');
  });

  it("keeps the port of an external MySQL's plugin until another kind is chosen", () => {
    const draft = draftOfTarget({ ...SAVED, kind: 'mysql', protocol: 'memcached', plugin_port: 11211 });
    expect(toWriteTarget(draft)).toMatchObject({ plugin_port: 11211, protocol: 'memcached' });
    expect(toWriteTarget(kindChanged(draft, REDIS)).plugin_port).toBeNull();
  });

  it('leaves a password that was not touched where it is, and removes one that was emptied', () => {
    const draft = draftOfTarget(SAVED);
    expect(toWriteTarget(draft)).not.toHaveProperty('password');
    expect(toWriteTarget({ ...draft, password: '' })).toHaveProperty('password', null);
    expect(toWriteTarget({ ...draft, password: 'new' })).toHaveProperty('password', 'new');
  });

  it('names the host as TLS server name unless another is given', () => {
    const draft = { ...draftOfTarget(SAVED), usesTls: true };
    expect(toWriteTarget(draft).tls).toEqual({
      server_name: 'cache.example',
      ca_pem: null,
      verify_certificate: true,
    });
    expect(toWriteTarget({ ...draft, serverName: 'other' }).tls?.server_name).toBe('other');
  });

  it('has a place on the host, where the agent starts it', () => {
    const draft = { ...newTargetDraft(REDIS), cpus: '0-3, 8', memoryLimitMib: 512, dataDirectory: ' fast ' };
    expect(toWriteTarget(draft).placement).toEqual({
      cpus: '0-3,8',
      memory_limit_bytes: 512 * 1024 * 1024,
      data_directory: 'fast',
      drop_page_cache: false,
    });
    const saved: Target = {
      ...SAVED,
      mode: 'managed',
      placement: { cpus: '0', memory_limit_bytes: 2 ** 30, data_directory: null, drop_page_cache: true },
    };
    expect(toWriteTarget(draftOfTarget(saved)).placement).toEqual(saved.placement);
  });

  it('sends reads to a replica, which another kind does not keep', () => {
    const draft = { ...draftOfTarget(SAVED), readHost: ' replica ', readPort: 6381 };
    expect(toWriteTarget(draft)).toMatchObject({ read_host: 'replica', read_port: 6381 });
    const changed = kindChanged(draft, { ...REDIS, kind: 'memlink' });
    expect(toWriteTarget(changed)).toMatchObject({ read_host: null, read_port: null });
  });

  it('starts from the first profile of another kind', () => {
    const draft = { ...newTargetDraft(REDIS), options: { maxmemory: '1gb' } };
    expect(kindChanged(draft, { ...REDIS, kind: 'memcached' })).toMatchObject({
      kind: 'memcached',
      options: {},
      port: 11211,
    });
  });
});
