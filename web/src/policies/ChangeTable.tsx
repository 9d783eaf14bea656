import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PolicyChange } from '../api/gen/types.gen';
import { actionText, roleText } from '../i18n/texts';
import { DataTable } from '../ui/DataTable';
import { useVerdictText } from './useVerdictText';

/** What a policy that is not saved yet would change, and for whom. */
export function ChangeTable({ changes }: { changes: PolicyChange[] }) {
  const { t } = useTranslation();
  const verdict = useVerdictText();
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
          { id: 'who', header: t('policy.who'), sort: (row) => row.who, cell: (row) => roleText(t, row.who) },
          { id: 'before', header: t('policy.before'), sort: (row) => row.before, cell: (row) => verdict(row.before) },
          { id: 'after', header: t('policy.after'), sort: (row) => row.after, cell: (row) => verdict(row.after) },
        ]}
      />
    </Stack>
  );
}
