import { Card, Group, SegmentedControl, Stack, Title, useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { Facts } from '../ui/Facts';
import { LanguageSwitch } from '../ui/LanguageSwitch';
import { PageHead } from '../ui/PageHead';
import { RouteLink } from '../ui/RouteLink';
import { SearchedTable } from '../ui/SearchedTable';
import { SignOutButton } from './SignOutButton';
import { useSession } from './session';

/** Who I am, how the console looks to me, and what I can open anywhere. */
export function AccountPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const { account, signIn, organisations, sandboxes } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack gap="lg">
      <PageHead title={t('account.title')}>
        <SignOutButton />
      </PageHead>
      <Card withBorder>
        <Facts
          label={t('account.title')}
          rows={[
            [t('personName'), account.name],
            [t('email'), account.email],
            [t('account.operator'), account.operator ? t('yes') : t('no')],
            [t('account.method'), t(signIn.method === 'passkey' ? 'account.methodPasskey' : 'account.methodOther')],
            [t('account.signedInAt'), format.moment(signIn.createdAt)],
            [t('account.expiresAt'), format.moment(signIn.expiresAt)],
          ]}
        />
      </Card>
      <Card withBorder>
        <Title order={2} size="h4" mb="sm">
          {t('account.appearance')}
        </Title>
        <Group>
          <LanguageSwitch />
          <SegmentedControl
            size="xs"
            aria-label={t('account.colours')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t(`account.colour.${value}`) }))}
          />
        </Group>
      </Card>
      <section>
        <Title order={2} size="h4" mb="sm">
          {t('account.organisations')}
        </Title>
        <SearchedTable
          label={t('account.organisations')}
          rows={organisations}
          text={(row) => row.name}
          rowKey={(row) => row.id}
          empty={t('home.noOrganisations')}
          columns={[
            {
              id: 'name',
              header: t('name'),
              sort: (row) => row.name,
              cell: (row) => (
                <RouteLink to="/organisations/$org" params={{ org: row.id }}>
                  {row.name}
                </RouteLink>
              ),
            },
            { id: 'role', header: t('role.label'), sort: (row) => row.role, cell: (row) => roleText(t, row.role) },
          ]}
        />
      </section>
      <section>
        <Title order={2} size="h4" mb="sm">
          {t('account.sandboxes')}
        </Title>
        <SearchedTable
          label={t('account.sandboxes')}
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
    </Stack>
  );
}
