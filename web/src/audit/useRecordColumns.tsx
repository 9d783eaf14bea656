import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditRecord } from '../api/gen/types.gen';
import { actionText, codeText, wordOf } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import type { Column } from '../ui/DataTable';
import { outcomeColour } from './outcome';

/** The columns of a list of records. `open` wraps the action into whatever leads to the whole record. */
export function useRecordColumns(open: (record: AuditRecord, text: string) => ReactNode): Column<AuditRecord>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return [
    { id: 'at', header: t('at'), sort: (row) => row.at, cell: (row) => format.moment(row.at) },
    { id: 'actor', header: t('audit.actor'), sort: (row) => row.actor.name ?? '', cell: (row) => <Actor record={row} /> },
    { id: 'action', header: t('audit.action'), sort: (row) => row.action, cell: (row) => open(row, actionText(t, row.action)) },
    {
      id: 'target',
      header: t('audit.target'),
      cell: (row) => (
        <Text size="xs" ff="monospace" maw={220} truncate title={row.target.id}>
          {row.target.kind} {row.target.id}
        </Text>
      ),
    },
    {
      id: 'outcome',
      header: t('audit.outcome'),
      sort: (row) => row.outcome,
      cell: (row) => (
        <>
          <Badge color={outcomeColour(row.outcome)} variant="outline">
            {wordOf(t, 'outcome', row.outcome)}
          </Badge>
          {row.reason && <Text size="xs">{codeText(t, row.reason)}</Text>}
        </>
      ),
    },
  ];
}

function Actor({ record: { actor } }: { record: AuditRecord }) {
  const { t } = useTranslation();
  if (actor.name) return <>{actor.name}</>;
  if (actor.kind === 'visitor' || actor.kind === 'job') return <>{t(`audit.actorIs.${actor.kind}`)}</>;
  return (
    <Text size="xs" ff="monospace" maw={160} truncate>
      {actor.id ?? actor.kind}
    </Text>
  );
}
