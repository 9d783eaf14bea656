import { Button, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Policy } from '../api/gen/types.gen';
import { useFormat } from '../i18n/useFormat';
import { Async } from '../ui/Async';
import { DataTable } from '../ui/DataTable';
import type { Place } from './place';

/** Every version that was saved. Restoring one puts it into the editor; nothing changes until it is saved. */
export function VersionTable({ place, restore }: { place: Place; restore: (version: number, document: Policy) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const versions = useQuery({ queryKey: [...place.key, 'versions'], queryFn: place.versions });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('policy.versions')}
      </Title>
      <Async query={versions}>
        {({ items }) => (
          <DataTable
            label={t('policy.versions')}
            rows={items}
            rowKey={(row) => String(row.version)}
            empty={t('policy.noVersions')}
            columns={[
              { id: 'version', header: t('policy.version'), sort: (row) => row.version, cell: (row) => format.number(row.version) },
              { id: 'at', header: t('at'), sort: (row) => row.createdAt, cell: (row) => format.moment(row.createdAt) },
              {
                id: 'by',
                header: t('by'),
                sort: (row) => row.by?.name ?? '',
                cell: (row) => row.by?.name ?? row.by?.accountId ?? t('none'),
              },
              {
                id: 'rules',
                header: t('policy.rules'),
                cell: (row) => (row.document ? t('policy.ruleCount', { count: row.document.rules.length }) : t('policy.noDocument')),
              },
              {
                id: 'actions',
                header: t('actions'),
                cell: ({ version, document }) =>
                  document && (
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => restore(version, document)}
                      aria-label={t('policy.restoreNamed', { version })}
                    >
                      {t('policy.restore')}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Async>
    </Stack>
  );
}
