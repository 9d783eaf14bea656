import { Badge, Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { proposalReject } from '../api/gen/sdk.gen';
import type { Code, Proposal } from '../api/gen/types.gen';
import { codeText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { DataTable } from '../ui/DataTable';
import { DestructiveButton } from '../ui/DestructiveButton';
import { ask } from './confirmation';

/** A wait and the organisation it is in. */
export type Row = { organisation: { id: string; name?: string }; wait: Proposal };

/** Actions that wait for people, with what one can do about them. */
export function WaitTable({ rows, empty }: { rows: Row[]; empty: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const approve = useAct(({ organisation, wait }: Row) =>
    ask({ proposalId: wait.id, organisationId: organisation.id, description: wait.description, requires: wait.requires }),
  );
  const reject = useAct(({ organisation, wait }: Row) => proposalReject({ path: { org: organisation.id, prp: wait.id } }));
  return (
    <DataTable
      label={t('waits.title')}
      rows={rows}
      rowKey={({ wait }) => wait.id}
      empty={empty}
      columns={[
        {
          id: 'what',
          header: t('waits.what'),
          cell: ({ wait, organisation }) => (
            <>
              <Text size="sm" fw={500}>
                {wait.description}
              </Text>
              <Text size="xs" c="dimmed">
                {t('waits.by', { name: wait.proposedBy.name ?? wait.proposedBy.accountId })}
                {organisation.name && ` · ${organisation.name}`}
              </Text>
            </>
          ),
        },
        {
          id: 'state',
          header: t('status.label'),
          sort: ({ wait }) => Number(wait.frozen),
          cell: ({ wait }) => (
            <>
              <Badge color={wait.frozen ? 'red' : 'orange'} variant="outline" miw="fit-content">
                {t(wait.frozen ? 'waits.frozen' : 'waits.open')}
              </Badge>
              {wait.requires > 1 && <Text size="xs">{t('waits.approvals', { done: wait.approvals, of: wait.requires })}</Text>}
            </>
          ),
        },
        { id: 'expires', header: t('expiresAt'), sort: ({ wait }) => wait.expiresAt, cell: ({ wait }) => format.moment(wait.expiresAt) },
        {
          id: 'actions',
          header: t('actions'),
          cell: (row) => (
            <Group gap="xs">
              {row.wait.mayApprove ? (
                <Button size="xs" onClick={() => approve.mutate(row)} aria-label={t('waits.approveNamed', { what: row.wait.description })}>
                  {t('waits.approve')}
                </Button>
              ) : (
                <Text size="xs">{codeText(t, whyNot(row.wait))}</Text>
              )}
              {(row.wait.mayApprove || row.wait.mine) && (
                <DestructiveButton
                  size="xs"
                  label={t('waits.rejectNamed', { what: row.wait.description })}
                  consequence={t('waits.rejectConsequence')}
                  run={() => reject.mutate(row)}
                  busy={reject.isPending && reject.variables?.wait.id === row.wait.id}
                >
                  {t('waits.reject')}
                </DestructiveButton>
              )}
            </Group>
          ),
        },
      ]}
    />
  );
}

/** Why somebody who sees a wait cannot approve it. */
function whyNot({ frozen, mine, approvals }: Proposal): Code {
  if (frozen) return 'emergency_stop';
  return mine || approvals > 0 ? 'own_proposal' : 'insufficient_access';
}
