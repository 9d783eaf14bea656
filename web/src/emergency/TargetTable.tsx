import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { EmergencyTarget } from '../api/gen/types.gen';
import en from '../i18n/en.json';
import { DataTable } from '../ui/DataTable';

const colours = { requested: 'orange', confirmed: 'teal', unreachable: 'red' } as const;

/** What was asked to stop, and whether it has. */
export function TargetTable({ targets }: { targets: EmergencyTarget[] }) {
  const { t } = useTranslation();
  const kind = (name: string) => (name in en.emergency.kind ? t(`emergency.kind.${name as keyof typeof en.emergency.kind}`) : name);
  return (
    <DataTable
      label={t('emergency.board')}
      rows={targets}
      rowKey={(row) => `${row.kind} ${row.id}`}
      empty={t('emergency.noTargets')}
      columns={[
        { id: 'kind', header: t('emergency.targetKind'), sort: (row) => row.kind, cell: (row) => kind(row.kind) },
        { id: 'label', header: t('name'), sort: (row) => row.label, cell: (row) => row.label },
        {
          id: 'state',
          header: t('status.label'),
          sort: (row) => row.state,
          cell: (row) => (
            <Badge color={colours[row.state]} variant="outline">
              {t(`emergency.state.${row.state}`)}
            </Badge>
          ),
        },
      ]}
    />
  );
}
