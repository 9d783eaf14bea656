import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import type { Invitation } from '../api/gen/types.gen';
import type { Pages } from '../api/pages';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { DestructiveButton } from '../ui/DestructiveButton';
import { PagedTable } from '../ui/PagedTable';

type Props = { pages: Pages<Invitation>; revoke: (id: string) => Promise<unknown> };

/** The invitations that are still open. */
export function InvitationTable({ pages, revoke }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const act = useAct(revoke, { said: t('invitation.revoked') });
  return (
    <PagedTable
      label={t('nav.invitations')}
      pages={pages}
      rowKey={(row) => row.id}
      empty={t('invitation.empty')}
      columns={[
        { id: 'email', header: t('email'), sort: (row) => row.email, cell: (row) => row.email },
        {
          id: 'role',
          header: t('role.label'),
          sort: (row) => row.role,
          cell: (row) => (
            <>
              <Text size="sm">{roleText(t, row.role)}</Text>
              {row.areas && (
                <Text size="xs" c="dimmed">
                  {format.list(row.areas)}
                </Text>
              )}
            </>
          ),
        },
        { id: 'expires', header: t('expiresAt'), sort: (row) => row.expiresAt, cell: (row) => format.moment(row.expiresAt) },
        {
          id: 'actions',
          header: t('actions'),
          cell: (row) => (
            <DestructiveButton
              size="xs"
              permission={row.allowed['invitation.revoke']}
              label={t('invitation.revokeNamed', { email: row.email })}
              consequence={t('invitation.revokeConsequence', { email: row.email })}
              run={() => act.mutate(row.id)}
              busy={act.isPending && act.variables === row.id}
            >
              {t('invitation.revoke')}
            </DestructiveButton>
          ),
        },
      ]}
    />
  );
}
