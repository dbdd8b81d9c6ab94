/** What each role may do, in the words of the choice. */
export const ROLE_CHOICES = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'editor', label: 'Editor' },
  { value: 'admin', label: 'Admin' },
];

export const ROLE_MEANING = {
  viewer: 'sees everything, changes nothing',
  editor: 'runs, plans, targets, schedules, links',
  admin: 'also members, agents, team tokens, the audit log',
} as const;
