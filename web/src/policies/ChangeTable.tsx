import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PolicyChange, PolicyEffect } from '../api/gen/types.gen';
import { actionText } from '../i18n/texts';
import { DataTable } from '../ui/DataTable';

/** What a policy that is not saved yet would change, and for whom. */
export function ChangeTable({ changes }: { changes: PolicyChange[] }) {
  const { t } = useTranslation();
  const effect = ({ decision, requires }: PolicyEffect) =>
    requires && requires > 1
      ? t('policy.effect', { decision: t(`verdict.${decision}`), people: t('policy.people', { count: requires }) })
      : t(`verdict.${decision}`);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('policy.changes')}
      </Title>
      <Text size="sm">{t('policy.changeCount', { count: changes.length })}</Text>
      <DataTable
        label={t('policy.changes')}
        rows={changes}
        rowKey={(row) => `${row.action} ${row.who}`}
        empty={t('policy.noChange')}
        columns={[
          { id: 'action', header: t('policy.action'), sort: (row) => row.action, cell: (row) => actionText(t, row.action) },
          { id: 'who', header: t('policy.who'), sort: (row) => row.who, cell: (row) => t(`policy.whoIs.${row.who}`) },
          { id: 'before', header: t('policy.before'), sort: (row) => row.before.decision, cell: (row) => effect(row.before) },
          { id: 'after', header: t('policy.after'), sort: (row) => row.after.decision, cell: (row) => effect(row.after) },
        ]}
      />
    </Stack>
  );
}
