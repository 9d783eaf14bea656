import { ScrollArea, Table, Text, UnstyledButton } from '@mantine/core';
import {
  type ColumnDef,
  createSortedRowModel,
  flexRender,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';

/** One column: `sort` gives the value by which rows are put in order, and makes the heading a button. */
export type Column<T> = { id: string; header: string; cell: (row: T) => ReactNode; sort?: (row: T) => string | number };

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });
const marks = { asc: ' ↑', desc: ' ↓' } as const;
const spoken = { asc: 'ascending', desc: 'descending' } as const;

type Props<T> = { label: string; rows: T[]; columns: Column<T>[]; rowKey: (row: T) => string; empty: ReactNode };

/** A table that can be put in order by its headings and scrolls sideways on narrow screens. */
export function DataTable<T extends object>({ label, rows, columns, rowKey, empty }: Props<T>) {
  const definitions = useMemo<ColumnDef<typeof features, T>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: column.sort ?? (() => ''),
        enableSorting: column.sort !== undefined,
        header: column.header,
        cell: ({ row }) => column.cell(row.original),
      })),
    [columns],
  );
  const table = useTable({ features, data: rows, columns: definitions, getRowId: rowKey });
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': label }}>
      <Table striped highlightOnHover verticalSpacing="xs" aria-label={label} miw={560}>
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                const text = flexRender(header.column.columnDef.header, header.getContext());
                return (
                  <Table.Th key={header.id} aria-sort={sorted ? spoken[sorted] : undefined}>
                    {header.column.getCanSort() ? (
                      <UnstyledButton fz="sm" fw={600} onClick={header.column.getToggleSortingHandler()}>
                        {text}
                        {sorted && <span aria-hidden>{marks[sorted]}</span>}
                      </UnstyledButton>
                    ) : (
                      text
                    )}
                  </Table.Th>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <Table.Td key={cell.id}>{flexRender(cell.column.columnDef.cell, cell.getContext())}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
