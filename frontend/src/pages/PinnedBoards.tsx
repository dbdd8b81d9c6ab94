import type { ReactElement } from 'react';
import { PinnedDashboards } from '@/features/dashboards/PinnedDashboards';
import { renderPanel } from './dashboard-panels';

/** Loaded only where something is pinned: it brings the charts along. */
export default function PinnedBoards(): ReactElement {
  return <PinnedDashboards render={renderPanel} />;
}
