import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

/** What `?` lists. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['Ctrl', 'K'], does: 'Search pages and recent runs' },
  { keys: ['?'], does: 'Show this list' },
  { keys: ['n'], does: 'New run' },
  { keys: ['g', 'h'], does: 'Go to Home' },
  { keys: ['g', 'r'], does: 'Go to Runs' },
  { keys: ['g', 'c'], does: 'Go to Recipes' },
  { keys: ['g', 't'], does: 'Go to Targets' },
  { keys: ['g', 'a'], does: 'Go to Agents' },
  { keys: ['/'], does: 'To the filter of the page' },
  { keys: ['Ctrl', 'Enter'], does: 'New run: run now' },
  { keys: ['←', '→'], does: 'In a chart: move the cross-hair' },
];

const GO_TO = { h: '/', r: '/runs', c: '/recipes', t: '/targets', a: '/agents' } as const;
const SEQUENCE_MS = 1200;

/** Keys that work everywhere but inside fields. */
export function useShortcuts(actions: { showHelp: () => void; showPalette: () => void }): void {
  const navigate = useNavigate();
  const lastG = useRef(0);
  useHotkeys([
    ['mod+K', actions.showPalette],
    ['N', () => void navigate({ to: '/runs/new' })],
    ['/', focusFilter],
    ['G', () => (lastG.current = Date.now())],
  ]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '?') actions.showHelp();
      const page = GO_TO[event.key as keyof typeof GO_TO];
      if (page && Date.now() - lastG.current < SEQUENCE_MS) {
        lastG.current = 0;
        void navigate({ to: page });
      }
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [actions, navigate]);
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>('[data-page-filter]')?.focus();
}
