import { Text } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Run } from '@/api/runs';
import { RelativeTime } from '@/components/RelativeTime';

/** Where an imported run was measured. */
export function ProvenanceNote({ run }: { readonly run: Run }): ReactElement | null {
  const { provenance } = run;
  if (!provenance) return null;
  return (
    <Text size="sm" c="dimmed" className="provenance">
      <IconFileImport size={15} aria-hidden="true" /> Measured elsewhere: by {provenance.team_name} at{' '}
      {provenance.installation}, submitted <RelativeTime at={provenance.created_at} />, imported{' '}
      <RelativeTime at={provenance.imported_at} />. It stays as it is.
    </Text>
  );
}
