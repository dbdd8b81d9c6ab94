import { Paper } from '@mantine/core';
import type { ReactElement } from 'react';
import { LoadedAlert } from './AlertDrawer';
import { usePeople } from './Alerts';

/** One alert on a page of its own: where messages link to. */
export function AlertFull({ alertId }: { readonly alertId: string }): ReactElement {
  const people = usePeople();
  return (
    <Paper withBorder p="md" maw={900}>
      <LoadedAlert alertId={alertId} people={people} />
    </Paper>
  );
}
