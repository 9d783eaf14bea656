import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { organisationMemberList } from '../api/gen/sdk.gen';
import { usePages } from '../api/pages';
import { useFormat } from '../i18n/useFormat';
import { Guarded } from '../ui/Guarded';
import { PagedTable } from '../ui/PagedTable';
import { PageHead } from '../ui/PageHead';
import { SearchBox } from '../ui/SearchBox';
import { MemberRole } from './MemberRole';
import { RevokeMember } from './RevokeMember';

/** Who belongs to an organisation, and as what. */
export function OrganisationMembersPage({ org }: { org: string }) {
  const { t } = useTranslation();
  return (
    <Guarded org={org} action="organisation.members" title={t('nav.members')}>
      <Roster org={org} />
    </Guarded>
  );
}

function Roster({ org }: { org: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [search, setSearch] = useState('');
  const pages = usePages(['organisation', org, 'members', search], (cursor, signal) =>
    organisationMemberList({ path: { org }, query: { cursor, search: search || undefined }, signal }),
  );
  return (
    <Stack>
      <PageHead title={t('nav.members')} about={t('organisationMembers.about')} />
      <Group>
        <SearchBox value={search} onSearch={setSearch} />
      </Group>
      <PagedTable
        label={t('nav.members')}
        pages={pages}
        rowKey={(row) => row.id}
        empty={search ? t('list.nothingFound') : t('organisationMembers.empty')}
        columns={[
          {
            id: 'name',
            header: t('personName'),
            sort: (row) => row.name,
            cell: (row) => (
              <>
                <Text size="sm" fw={500}>
                  {row.self ? t('organisationMembers.you', { name: row.name }) : row.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {row.email}
                </Text>
              </>
            ),
          },
          { id: 'role', header: t('role.label'), sort: (row) => row.role, cell: (row) => <MemberRole org={org} member={row} /> },
          { id: 'since', header: t('since'), sort: (row) => row.createdAt, cell: (row) => format.day(row.createdAt) },
          { id: 'actions', header: t('actions'), cell: (row) => !row.self && <RevokeMember org={org} member={row} /> },
        ]}
      />
    </Stack>
  );
}
