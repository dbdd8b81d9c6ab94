import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { AddToDashboard } from '@/features/dashboards/AddToDashboard';
import { ShareButton } from '@/features/share/ShareButton';
import { TrendDetail } from '@/features/trends/TrendDetail';
import type { TrendPageSearch } from './search';

const route = getRouteApi('/inside/trends/$seriesId');

export default function TrendPage(): ReactElement {
  const { seriesId } = route.useParams();
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (patch: Partial<TrendPageSearch>) =>
    void navigate({ search: (current) => ({ ...current, ...patch }), replace: true, resetScroll: false });
  return (
    <TrendDetail
      key={seriesId}
      seriesId={seriesId}
      view={view}
      onView={change}
      actions={(series) => (
        <>
          <AddToDashboard view={view} seriesIds={[series.id]} title={series.title} />
          <ShareButton
            kind="trend"
            subject={{ series_ids: [series.id] }}
            subjectId={series.id}
            title={series.title}
            view={view}
          />
        </>
      )}
    />
  );
}
