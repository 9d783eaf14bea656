import { Badge, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sandboxCreate, sandboxList } from '../api/gen/sdk.gen';
import { usePages } from '../api/pages';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { organisation } from '../organisations/queries';
import { ActionButton } from '../ui/ActionButton';
import { NameDialog } from '../ui/NameDialog';
import { PagedTable } from '../ui/PagedTable';
import { PageHead } from '../ui/PageHead';
import { RouteLink } from '../ui/RouteLink';
import { SearchBox } from '../ui/SearchBox';

/** The sandboxes of an organisation that one may see. */
export function SandboxesPage({ org }: { org: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const [opened, { open, close }] = useDisclosure();
  const allowed = useQuery(organisation(org)).data?.allowed;
  const pages = usePages(['organisation', org, 'sandboxes', search], (cursor, signal) =>
    sandboxList({ path: { org }, query: { cursor, search: search || undefined }, signal }),
  );
  return (
    <Stack>
      <PageHead title={t('nav.sandboxes')} about={t('sandbox.about')}>
        <ActionButton permission={allowed?.['sandbox.create']} onClick={open}>
          {t('sandbox.create')}
        </ActionButton>
      </PageHead>
      <NameDialog
        title={t('sandbox.create')}
        opened={opened}
        close={close}
        save={t('create')}
        run={(name) => sandboxCreate({ path: { org }, body: { name } })}
        done={({ id }) => void navigate({ to: '/organisations/$org/sandboxes/$sbx', params: { org, sbx: id } })}
      />
      <Group>
        <SearchBox value={search} onSearch={setSearch} />
      </Group>
      <PagedTable
        label={t('nav.sandboxes')}
        pages={pages}
        rowKey={(row) => row.id}
        empty={search ? t('list.nothingFound') : t('sandbox.empty')}
        columns={[
          {
            id: 'name',
            header: t('name'),
            sort: (row) => row.name,
            cell: (row) => (
              <RouteLink to="/organisations/$org/sandboxes/$sbx" params={{ org, sbx: row.id }}>
                {row.name}
              </RouteLink>
            ),
          },
          { id: 'role', header: t('role.mine'), sort: (row) => row.role, cell: (row) => roleText(t, row.role) },
          {
            id: 'status',
            header: t('status.label'),
            sort: (row) => (row.stopped ? 'stopped' : row.status),
            cell: (row) => (row.stopped ? <Badge color="red">{t('status.stopped')}</Badge> : t(`status.${row.status}`)),
          },
          { id: 'owner', header: t('role.owner'), sort: (row) => row.ownerEmail ?? '', cell: (row) => row.ownerEmail },
          { id: 'created', header: t('createdAt'), sort: (row) => row.createdAt, cell: (row) => format.day(row.createdAt) },
        ]}
      />
    </Stack>
  );
}
