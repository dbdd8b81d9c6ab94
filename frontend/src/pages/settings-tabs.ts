/** The pages under `/settings`, in the order of their tabs. */
export const SETTINGS_TABS = [
  { to: '/settings/members', label: 'Members' },
  { to: '/settings/tokens', label: 'API tokens' },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/notifications', label: 'Notifications' },
  { to: '/settings/audit', label: 'Audit log' },
] as const;
