import { describe, expect, it } from 'vitest';
import type { StoreKind, Target } from '@/api/targets';
import { draftOfTarget, kindChanged, newTargetDraft, toWriteTarget } from './target-draft';

const REDIS: StoreKind = {
  kind: 'redis',
  title: 'Redis',
  protocols: [{ protocol: 'redis', title: 'RESP', meaning: '', operations: ['get', 'set'] }],
  profiles: [{ name: 'none', title: 'no persistence', meaning: '', options: {} }],
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

  it('starts from the first profile of another kind', () => {
    const draft = { ...newTargetDraft(REDIS), options: { maxmemory: '1gb' } };
    expect(kindChanged(draft, { ...REDIS, kind: 'memcached' })).toMatchObject({
      kind: 'memcached',
      options: {},
      port: 11211,
    });
  });
});
