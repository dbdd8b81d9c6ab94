/** A schedule while it is being written. Instants are typed in the person's own zone, as the browser offers them. */
import type { Schedule, WriteSchedule } from '@/api/schedules';
import { choiceOf, selectorOf } from '@/lib/agent-selector';

export interface ScheduleDraft {
  readonly name: string;
  readonly planId: string | null;
  /** Null follows the newest. */
  readonly planVersion: number | null;
  readonly cron: string;
  readonly timeZone: string;
  readonly overlap: WriteSchedule['overlap_policy'];
  /** `2026-11-21T07:41`, or empty. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly agentChoice: string | null;
  readonly priority: number;
}

export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function zoneNames(): string[] {
  return [...new Set(['UTC', OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])];
}

export const PRESETS = [
  { label: 'Every night at 02:00', cron: '0 2 * * *' },
  { label: 'Every hour', cron: '0 * * * *' },
  { label: 'Mondays at 03:30', cron: '30 3 * * MON' },
  { label: 'First of the month', cron: '0 4 1 * *' },
] as const;

export function draftOf(schedule: Schedule | null, planId: string | null): ScheduleDraft {
  return {
    name: schedule?.name ?? '',
    planId: schedule?.plan_id ?? planId,
    planVersion: schedule?.plan_version ?? null,
    cron: schedule?.cron ?? PRESETS[0].cron,
    timeZone: schedule?.time_zone ?? OWN_ZONE,
    overlap: schedule?.overlap_policy ?? 'skip',
    startsAt: toLocal(schedule?.starts_at),
    endsAt: toLocal(schedule?.ends_at),
    agentChoice: choiceOf(schedule?.agent_selector),
    priority: schedule?.priority ?? 0,
  };
}

export function bodyOf(draft: ScheduleDraft, planId: string, fallbackName: string): WriteSchedule {
  return {
    name: draft.name.trim() || fallbackName,
    plan_id: planId,
    plan_version: draft.planVersion,
    cron: draft.cron,
    time_zone: draft.timeZone,
    overlap_policy: draft.overlap,
    starts_at: toInstant(draft.startsAt),
    ends_at: toInstant(draft.endsAt),
    agent_selector: selectorOf(draft.agentChoice),
    priority: draft.priority,
  };
}

export function toInstant(local: string): string | null {
  if (local === '') return null;
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

export function toLocal(instant: string | null | undefined): string {
  if (!instant) return '';
  const at = new Date(instant);
  const wall = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return wall.toISOString().slice(0, 16);
}

/** `Sun 25 Oct 2026, 02:30` from the wall clock the api gives, without moving it into another zone. */
export function wallClock(local: string): string {
  const at = new Date(`${local.slice(0, 19)}Z`);
  return at.toLocaleString('en-GB', {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
