import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pages } from '../api/pages';
import { Loading } from './Async';
import { type Column, DataTable } from './DataTable';
import { ProblemAlert } from './ProblemAlert';

type Props<T> = { label: string; pages: Pages<T>; columns: Column<T>[]; rowKey: (row: T) => string; empty: ReactNode };

/** A list that is read page by page. */
export function PagedTable<T extends object>({ label, pages, columns, rowKey, empty }: Props<T>) {
  const { t } = useTranslation();
  if (pages.loading) return <Loading />;
  return (
    <Stack gap="sm">
      {pages.error && <ProblemAlert error={pages.error} retry={pages.retry} />}
      {!(pages.error && pages.rows.length === 0) && (
        <DataTable label={label} rows={pages.rows} columns={columns} rowKey={rowKey} empty={empty} />
      )}
      {pages.more && (
        <Button variant="default" onClick={pages.more} loading={pages.loadingMore} style={{ alignSelf: 'flex-start' }}>
          {t('list.more')}
        </Button>
      )}
    </Stack>
  );
}
