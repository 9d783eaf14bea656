import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AuditRecord } from '../api/gen/types.gen';
import type { Pages } from '../api/pages';
import { PagedTable } from '../ui/PagedTable';
import { useRecordColumns } from './useRecordColumns';

/** Records, newest first; the action opens one in full. */
export function RecordTable({ pages, open, filtered }: { pages: Pages<AuditRecord>; open: (id: string) => void; filtered: boolean }) {
  const { t } = useTranslation();
  const columns = useRecordColumns((record, text) => (
    <UnstyledButton fz="sm" c="var(--mantine-color-anchor)" onClick={() => open(record.id)}>
      {text}
    </UnstyledButton>
  ));
  return (
    <PagedTable
      label={t('nav.audit')}
      pages={pages}
      rowKey={(row) => row.id}
      empty={filtered ? t('list.nothingFound') : t('audit.empty')}
      columns={columns}
    />
  );
}
