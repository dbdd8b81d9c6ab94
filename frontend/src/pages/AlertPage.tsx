import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ButtonLink } from '@/components/links';
import { PageHeader } from '@/components/PageHeader';
import { AlertFull } from '@/features/alerts/AlertFull';

const route = getRouteApi('/inside/alerts/$alertId');

export default function AlertPage(): ReactElement {
  const { alertId } = route.useParams();
  return (
    <>
      <PageHeader
        title="Alert"
        actions={
          <ButtonLink to="/alerts" variant="default">
            All alerts
          </ButtonLink>
        }
      />
      <AlertFull key={alertId} alertId={alertId} />
    </>
  );
}
