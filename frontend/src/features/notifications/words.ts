import type { ChannelEvent, ChannelKind, Delivery } from '@/api/notifications';

export const KINDS: ReadonlyArray<{ kind: ChannelKind; title: string; address: string; example: string }> = [
  {
    kind: 'slack',
    title: 'Slack',
    address: 'Address of the incoming webhook',
    example: 'https://hooks.slack.com/services/…',
  },
  {
    kind: 'teams',
    title: 'Microsoft Teams',
    address: 'Address of the workflow',
    example: 'https://….webhook.office.com/…',
  },
  { kind: 'email', title: 'E-mail', address: 'Addresses, with commas between', example: 'team@example.org' },
  {
    kind: 'webhook',
    title: 'Webhook',
    address: 'Address that is posted to, signed',
    example: 'https://example.org/hooks/loadstone',
  },
  {
    kind: 'other',
    title: 'Another service',
    address: 'Apprise URL',
    example: 'ntfys://ntfy.example.org/benchmarks',
  },
];

export function kindTitle(kind: ChannelKind): string {
  return KINDS.find((one) => one.kind === kind)?.title ?? kind;
}

export const EVENTS: Record<ChannelEvent, string> = {
  alert_confirmed: 'An alert was confirmed',
  alert_suspected: 'A shift is suspected',
  run_failed: 'A run failed',
  run_succeeded: 'A run succeeded',
  schedule_broken: 'A schedule cannot run any more',
};

export const EVENT_NAMES = Object.keys(EVENTS) as ChannelEvent[];

export function eventTitle(event: Delivery['event']): string {
  return event === 'test' ? 'Test' : EVENTS[event];
}
