import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from './DataTable';
import { SearchBox } from './SearchBox';

type Props<T> = {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  /** What is looked through. */
  text: (row: T) => string;
  empty: string;
};

/** A list that is here as a whole, with a box to look through it. */
export function SearchedTable<T extends object>({ label, rows, columns, rowKey, text, empty }: Props<T>) {
  const { t, i18n } = useTranslation();
  const [search, setSearch] = useState('');
  const wanted = search.toLocaleLowerCase(i18n.language);
  const found = rows.filter((row) => text(row).toLocaleLowerCase(i18n.language).includes(wanted));
  return (
    <Stack gap="xs">
      {rows.length > 0 && <SearchBox value={search} onSearch={setSearch} label={t('list.searchIn', { list: label })} />}
      <DataTable label={label} rows={found} columns={columns} rowKey={rowKey} empty={search ? t('list.nothingFound') : empty} />
    </Stack>
  );
}
