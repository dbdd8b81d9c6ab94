import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { FacetFilters } from './FacetFilters';
import { TrendControls } from './TrendControls';
import { TrendWall } from './TrendWall';
import type { TrendPage, TrendSearch } from './view';

/** Filters on the left, the wall beside them; on a narrow page the filters fold away. */
export function Trends({ view, onView }: TrendPage<TrendSearch>): ReactElement {
  const [isOpen, filters] = useDisclosure(false);
  const count = view.label?.length ?? 0;
  return (
    <div className="trends-layout">
      <aside>
        <Button
          hiddenFrom="md"
          variant="default"
          size="xs"
          fullWidth
          leftSection={<IconFilter size={14} aria-hidden="true" />}
          aria-expanded={isOpen}
          onClick={filters.toggle}
        >
          Filters{count > 0 ? ` (${count})` : ''}
        </Button>
        <div className="trends-filters" data-open={isOpen || undefined}>
          <FacetFilters view={view} onView={onView} />
        </div>
      </aside>
      <Stack gap="sm" style={{ minWidth: 0 }}>
        <TrendControls view={view} onView={onView} />
        <TrendWall view={view} />
      </Stack>
    </div>
  );
}
