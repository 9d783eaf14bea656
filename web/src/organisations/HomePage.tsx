import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../accounts/session';
import { organisationCreate } from '../api/gen/sdk.gen';
import { RecentRecords } from '../audit/RecentRecords';
import { roleText } from '../i18n/texts';
import { NameDialog } from '../ui/NameDialog';
import { PageHead } from '../ui/PageHead';
import { RouteLink } from '../ui/RouteLink';
import { SearchedTable } from '../ui/SearchedTable';
import { NeedsYou } from '../waits/NeedsYou';

/** What needs me, what I can open, and what happened lately. */
export function HomePage() {
  const { t } = useTranslation();
  const { account, organisations, sandboxes, allowed } = useSession();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const mayCreate = allowed['organisation.create']?.verdict ?? (account.operator ? 'allow' : 'deny');
  return (
    <Stack gap="xl">
      <PageHead title={t('home.title')} about={t('home.about', { name: account.name })}>
        {mayCreate !== 'deny' && <Button onClick={open}>{t('organisation.create')}</Button>}
      </PageHead>
      <NameDialog
        title={t('organisation.create')}
        opened={opened}
        close={close}
        save={t('create')}
        run={(name) => organisationCreate({ body: { name } })}
        done={({ id }) => void navigate({ to: '/organisations/$org', params: { org: id } })}
      />
      <NeedsYou organisations={organisations} />
      <section>
        <Title order={2} size="h4" mb="sm">
          {t('home.organisations')}
        </Title>
        {organisations.length === 0 && (
          <Text c="dimmed">{t(mayCreate === 'deny' ? 'home.noOrganisations' : 'home.firstOrganisation')}</Text>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {organisations.map(({ id, name, role }) => (
            <Card withBorder key={id}>
              <Group justify="space-between" wrap="nowrap">
                <RouteLink to="/organisations/$org" params={{ org: id }} fw={600} truncate>
                  {name}
                </RouteLink>
                <Text size="sm" c="dimmed">
                  {roleText(t, role)}
                </Text>
              </Group>
            </Card>
          ))}
        </SimpleGrid>
      </section>
      <section>
        <Title order={2} size="h4" mb="sm">
          {t('home.sandboxes')}
        </Title>
        <SearchedTable
          label={t('home.sandboxes')}
          rows={sandboxes}
          text={(row) => `${row.name} ${row.organisationName}`}
          rowKey={(row) => row.id}
          empty={t('home.noSandboxes')}
          columns={[
            {
              id: 'name',
              header: t('name'),
              sort: (row) => row.name,
              cell: (row) => (
                <RouteLink to="/organisations/$org/sandboxes/$sbx" params={{ org: row.organisationId, sbx: row.id }}>
                  {row.name}
                </RouteLink>
              ),
            },
            { id: 'organisation', header: t('organisation.one'), sort: (row) => row.organisationName, cell: (row) => row.organisationName },
            { id: 'role', header: t('role.label'), sort: (row) => row.role, cell: (row) => roleText(t, row.role) },
          ]}
        />
      </section>
      <RecentRecords organisations={organisations} />
    </Stack>
  );
}
