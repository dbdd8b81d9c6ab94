import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { membersQuery } from '@/api/team';
import { AlertDrawer } from './AlertDrawer';
import { AlertList, type AlertsView } from './AlertList';
import { OwnerSelect, type Person } from './OwnerSelect';

interface AlertsProps {
  readonly view: AlertsView;
  readonly onView: (patch: Partial<AlertsView>) => void;
}

export function Alerts({ view, onView }: AlertsProps): ReactElement {
  const people = usePeople();
  return (
    <>
      <AlertList
        view={view}
        onView={onView}
        toolbar={
          <OwnerSelect
            size="xs"
            label="Owner"
            nobody="anybody"
            people={[{ id: 'me', name: 'me' }, ...people]}
            value={view.owner ?? null}
            onOwner={(owner) => onView({ owner: owner ?? undefined })}
          />
        }
      />
      <AlertDrawer alertId={view.alert} people={people} onClose={() => onView({ alert: undefined })} />
    </>
  );
}

export function usePeople(): readonly Person[] {
  const members = useQuery(membersQuery);
  return (members.data?.items ?? []).map(({ user }) => ({ id: user.id, name: user.name }));
}
