import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { memberRemove } from '../api/gen/sdk.gen';
import type { Member } from '../api/gen/types.gen';
import type { Pages } from '../api/pages';
import { ifMatch } from '../api/transport';
import { roleText } from '../i18n/texts';
import { ActionButton } from '../ui/ActionButton';
import { DestructiveButton } from '../ui/DestructiveButton';
import { PagedTable } from '../ui/PagedTable';
import { resolve } from './access';
import { useAccessText } from './useAccessText';

type Props = { org: string; sbx: string; pages: Pages<Member>; searched: boolean; change: (member: Member) => void };

/** The members of a sandbox with what each may see, edit and have done by assistants. */
export function MemberTable({ org, sbx, pages, searched, change }: Props) {
  const { t } = useTranslation();
  const words = useAccessText();
  const remove = useAct((member: Member) => memberRemove({ path: { org, sbx, mbr: member.id }, headers: ifMatch(member.revision) }));
  return (
    <PagedTable
      label={t('nav.members')}
      pages={pages}
      rowKey={(row) => row.id}
      empty={searched ? t('list.nothingFound') : t('member.empty')}
      columns={[
        {
          id: 'name',
          header: t('personName'),
          sort: (row) => row.name,
          cell: (row) => (
            <>
              <Text size="sm" fw={500}>
                {row.name}
              </Text>
              <Text size="xs" c="dimmed">
                {row.email}
              </Text>
            </>
          ),
        },
        { id: 'role', header: t('role.label'), sort: (row) => row.role, cell: (row) => roleText(t, row.role) },
        { id: 'agents', header: t('access.agents'), cell: (row) => words(resolve(row)).agents },
        { id: 'see', header: t('access.sees'), cell: (row) => words(resolve(row)).sees },
        { id: 'edit', header: t('access.edits'), cell: (row) => words(resolve(row)).edits },
        {
          id: 'actions',
          header: t('actions'),
          cell: (row) => (
            <Group gap="xs">
              <ActionButton
                size="xs"
                variant="default"
                permission={row.allowed['member.change']}
                label={t('member.changeNamed', { name: row.name })}
                onClick={() => change(row)}
              >
                {t('change')}
              </ActionButton>
              <DestructiveButton
                size="xs"
                permission={row.allowed['member.remove']}
                label={t('removeNamed', { name: row.name })}
                consequence={t('member.removeConsequence', { name: row.name })}
                run={() => remove.mutate(row)}
                busy={remove.isPending && remove.variables?.id === row.id}
              >
                {t('remove')}
              </DestructiveButton>
            </Group>
          ),
        },
      ]}
    />
  );
}
