import { useEffect, useState } from 'react';
import { contentOf, type Dashboard, type DashboardContent } from '@/api/dashboards';
import { isSame } from './merge';

/** What is being edited, and what it was made from. */
export interface Draft {
  readonly base: Dashboard;
  readonly content: DashboardContent;
}

function keyOf(dashboardId: string): string {
  return `loadstone.dashboard.${dashboardId}`;
}

function readDraft(saved: Dashboard): Draft | null {
  try {
    const text = sessionStorage.getItem(keyOf(saved.id));
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    // Storage may be full, forbidden or from another time: the saved dashboard is the draft then.
    return null;
  }
}

function storeDraft(draft: Draft): void {
  try {
    if (isSame(draft.content, contentOf(draft.base))) sessionStorage.removeItem(keyOf(draft.base.id));
    else sessionStorage.setItem(keyOf(draft.base.id), JSON.stringify(draft));
  } catch {
    // Without storage the draft lives as long as the page.
  }
}

/** The draft of this tab: it survives a reload, and the dashboard being saved by someone else. */
export function useDraft(saved: Dashboard) {
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(saved) ?? { base: saved, content: contentOf(saved) },
  );
  useEffect(() => storeDraft(draft), [draft]);
  const forget = () => sessionStorage.removeItem(keyOf(saved.id));
  return { draft, setDraft, forget, isChanged: !isSame(draft.content, contentOf(draft.base)) };
}
