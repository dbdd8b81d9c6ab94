import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { NewRun } from '@/features/plan-editor/NewRun';

const route = getRouteApi('/inside/runs/new');

export default function NewRunPage(): ReactElement {
  const origin = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title={origin.from ? 'New run, cloned with changes' : 'New run'} />
      <NewRun
        origin={origin}
        onOrigin={(next) => void navigate({ to: '/runs/new', search: next })}
        onSchedule={(plan) => void navigate({ to: '/schedules', search: { edit: 'new', plan } })}
        onStarted={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })}
      />
    </>
  );
}
