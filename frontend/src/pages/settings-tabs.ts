/** The pages under `/settings`, in the order of their tabs. */
export const SETTINGS_TABS = [
  { to: '/settings/notifications', label: 'Notifications' },
  { to: '/settings/tokens', label: 'API tokens' },
] as const;
