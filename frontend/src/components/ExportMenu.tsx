import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { apiPath } from '@/lib/link';

export interface ExportItem {
  readonly label: string;
  /** Of the api; the server names the file. */
  readonly path: string;
}

/** Files that the api makes of what is seen. */
export function ExportMenu({ items }: { readonly items: readonly ExportItem[] }): ReactElement {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconDownload size={15} aria-hidden="true" />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, path }) => (
          <Menu.Item key={path} component="a" href={apiPath(path)} download>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
