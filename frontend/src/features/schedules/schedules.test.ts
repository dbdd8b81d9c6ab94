import { describe, expect, it } from 'vitest';
import type { Schedule } from '@/api/schedules';
import { cronWords } from './cron-words';
import { bodyOf, draftOf, toInstant, toLocal, wallClock, zoneNames } from './schedule-draft';

describe('a schedule while it is written', () => {
  it('is the same after it was opened and saved unchanged', () => {
    const schedule = {
      name: 'nightly',
      plan_id: 'plan-1',
      plan_version: 3,
      cron: '0 2 * * *',
      time_zone: 'Europe/Berlin',
      overlap_policy: 'queue',
      starts_at: '2026-11-21T07:41:00.000Z',
      ends_at: null,
      agent_selector: { labels: { site: 'north' } },
      priority: 4,
    } as unknown as Schedule;
    expect(bodyOf(draftOf(schedule, null), 'plan-1', 'a plan')).toEqual({
      name: 'nightly',
      plan_id: 'plan-1',
      plan_version: 3,
      cron: '0 2 * * *',
      time_zone: 'Europe/Berlin',
      overlap_policy: 'queue',
      starts_at: '2026-11-21T07:41:00.000Z',
      ends_at: null,
      agent_selector: { agent_id: null, labels: { site: 'north' } },
      priority: 4,
    });
  });

  it('is called like its plan when it has no name', () => {
    expect(bodyOf(draftOf(null, 'plan-1'), 'plan-1', 'a plan').name).toBe('a plan');
  });

  it('turns what the browser offers into instants and back', () => {
    expect(toLocal(toInstant('2026-11-21T07:41'))).toBe('2026-11-21T07:41');
    expect(toInstant('')).toBeNull();
    expect(toInstant('rubbish')).toBeNull();
    expect(toLocal(null)).toBe('');
  });

  it('shows the wall clock of another zone as it is', () => {
    expect(wallClock('2026-10-25T02:30:00+02:00')).toBe('Sun, 25 Oct 2026, 02:30');
  });

  it('knows time zones, UTC first', () => {
    expect(zoneNames()[0]).toBe('UTC');
    expect(zoneNames()).toContain('Europe/Berlin');
  });

  it('says an expression in words, as long as it is one', () => {
    expect(cronWords('30 3 * * MON')).toBe('At 03:30, only on Monday');
    expect(cronWords('rubbish')).toBeNull();
  });
});
