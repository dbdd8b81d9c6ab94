import { ActionIcon, Checkbox, Group, Menu, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconColumns3, IconDownload } from '@tabler/icons-react';
import {
  type ColumnDef,
  columnVisibilityFeature,
  createSortedRowModel,
  FlexRender,
  type Header,
  type Row,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import type { ReactElement, ReactNode } from 'react';
import { type CsvCell, toCsv } from '@/lib/csv';
import { saveText } from '@/lib/save-file';
import { useTableView } from './table-view';

const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
});

export interface DataColumn<T> {
  readonly id: string;
  /** With the unit. */
  readonly header: string;
  /** What is sorted by and written to CSV, in base units. */
  readonly value: (row: T) => CsvCell;
  readonly cell?: (row: T) => ReactNode;
  readonly isNumber?: boolean;
  readonly canSort?: boolean;
  /** Sentences: may take several lines. */
  readonly isText?: boolean;
  /** A name of several words: breaks before the table grows wider than the page. */
  readonly isName?: boolean;
  /** Buttons: neither sorted, hidden nor exported. */
  readonly isActions?: boolean;
}

interface DataTableProps<T> {
  readonly label: string;
  readonly columns: ReadonlyArray<DataColumn<T>>;
  readonly rows: readonly T[];
  readonly rowId: (row: T) => string;
  readonly csvName: string;
  readonly toolbar?: ReactNode;
  readonly rowClass?: (row: T) => string | undefined;
}

/** Sort by header, choose columns, save as CSV; scrolls sideways inside itself on a narrow page. */
export function DataTable<T extends object>(props: DataTableProps<T>): ReactElement {
  const table = useTable({
    features,
    data: props.rows as T[],
    columns: props.columns.map(toColumnDef),
    getRowId: props.rowId,
    ...useTableView(props.label),
  });
  const choices = table.getAllLeafColumns().map((column) => ({
    id: column.id,
    header: String(column.columnDef.header),
    isShown: column.getIsVisible(),
    toggle: () => column.toggleVisibility(),
  }));
  return (
    <div>
      <TableTools table={props} choices={choices} />
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={props.label}>
        <Table
          highlightOnHover
          aria-label={props.label}
          className="data-table"
          verticalSpacing={5}
          horizontalSpacing={5}
        >
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map((header) => (
                  <HeaderCell key={header.id} header={header} column={columnOf(props, header.column.id)} />
                ))}
              </Table.Tr>
            ))}
          </Table.Thead>
          <Table.Tbody>
            {table.getRowModel().rows.map((row) => (
              <BodyRow key={row.id} row={row} table={props} />
            ))}
            {props.rows.length === 0 && <EmptyRow columnCount={props.columns.length} />}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}

function EmptyRow({ columnCount }: { readonly columnCount: number }): ReactElement {
  return (
    <Table.Tr>
      <Table.Td colSpan={columnCount} c="dimmed">
        Nothing fits.
      </Table.Td>
    </Table.Tr>
  );
}

interface TableToolsProps<T> {
  readonly table: DataTableProps<T>;
  readonly choices: readonly ColumnChoice[];
}

function TableTools<T>({ table, choices }: TableToolsProps<T>): ReactElement {
  return (
    <Group justify="space-between" mb={6} gap="xs">
      <Group gap="xs">{table.toolbar}</Group>
      <Group gap={2}>
        <ColumnMenu columns={choices} />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Save ${table.label} as CSV`}
          title="Save as CSV"
          onClick={() => saveText(`${table.csvName}.csv`, tableCsv(table))}
        >
          <IconDownload size={16} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

function toColumnDef<T extends object>(column: DataColumn<T>): ColumnDef<typeof features, T> {
  return {
    id: column.id,
    header: column.header,
    accessorFn: (row: T) => column.value(row),
    cell: (context) =>
      column.cell ? column.cell(context.row.original) : (column.value(context.row.original) ?? '–'),
    enableSorting: !column.isActions && column.canSort !== false,
    enableHiding: !column.isActions,
    sortFn: column.isNumber ? 'basic' : 'alphanumeric',
  } as ColumnDef<typeof features, T>;
}

function columnOf<T>(props: DataTableProps<T>, id: string): DataColumn<T> | undefined {
  return props.columns.find((column) => column.id === id);
}

function tableCsv<T>({ columns, rows }: DataTableProps<T>): string {
  const exported = columns.filter((column) => !column.isActions);
  return toCsv(
    exported.map((column) => column.header),
    rows.map((row) => exported.map((column) => column.value(row))),
  );
}

interface HeaderCellProps<T extends object> {
  readonly header: Header<typeof features, T, unknown>;
  readonly column: DataColumn<T> | undefined;
}

function HeaderCell<T extends object>({ header, column }: HeaderCellProps<T>): ReactElement {
  const sorted = header.column.getIsSorted();
  const align = column?.isNumber ? 'right' : 'left';
  if (!header.column.getCanSort()) {
    return (
      <Table.Th ta={align} className={column?.isActions ? 'actions-cell' : undefined}>
        {column?.isActions ? <span className="visually-hidden">{column.header}</span> : column?.header}
      </Table.Th>
    );
  }
  const ariaSort = sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined;
  return (
    <Table.Th ta={align} aria-sort={ariaSort}>
      <UnstyledButton className="sort-button" onClick={header.column.getToggleSortingHandler()}>
        <FlexRender header={header} />
        {sorted === 'asc' && <IconArrowUp size={12} aria-hidden="true" />}
        {sorted === 'desc' && <IconArrowDown size={12} aria-hidden="true" />}
      </UnstyledButton>
    </Table.Th>
  );
}

interface BodyRowProps<T extends object> {
  readonly row: Row<typeof features, T>;
  readonly table: DataTableProps<T>;
}

function BodyRow<T extends object>({ row, table }: BodyRowProps<T>): ReactElement {
  return (
    <Table.Tr className={table.rowClass?.(row.original)} data-row-id={row.id}>
      {row.getVisibleCells().map((cell) => {
        const column = columnOf(table, cell.column.id);
        return (
          <Table.Td key={cell.id} ta={column?.isNumber ? 'right' : 'left'} className={cellClass(column)}>
            <FlexRender cell={cell} />
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}

function cellClass<T>(column: DataColumn<T> | undefined): string | undefined {
  if (column?.isActions) return 'actions-cell';
  if (column?.isText) return 'wraps';
  if (column?.isName) return column.isNumber ? 'breaks' : 'name-cell';
  return column?.isNumber ? 'number-cell' : undefined;
}

interface ColumnChoice {
  readonly id: string;
  readonly header: string;
  readonly isShown: boolean;
  readonly toggle: () => void;
}

function ColumnMenu({ columns }: { readonly columns: readonly ColumnChoice[] }): ReactElement {
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Choose columns" title="Choose columns">
          <IconColumns3 size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, header, isShown, toggle }) => (
          <Menu.Item
            key={id}
            onClick={toggle}
            aria-label={`${isShown ? 'Hide' : 'Show'} ${header}`}
            leftSection={<Checkbox.Indicator size="xs" checked={isShown} />}
          >
            {header}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
