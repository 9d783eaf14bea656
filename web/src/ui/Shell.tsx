import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../accounts/session';
import { LanguageSwitch } from './LanguageSwitch';
import { RouteLink } from './RouteLink';
import { SideBar } from './SideBar';

/** The frame around every page of somebody who is signed in. */
export function Shell() {
  const { t } = useTranslation();
  const { account } = useSession();
  const { org, sbx } = useParams({ strict: false });
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="md">
      <AppShell.Header>
        <a className="skip" href="#main">
          {t('skip')}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t('menu')} aria-expanded={opened} />
            <Text fw={700}>Bailiwick</Text>
          </Group>
          <Group gap="md" wrap="nowrap">
            <LanguageSwitch />
            <RouteLink to="/account" visibleFrom="xs" size="sm" maw={220} truncate>
              {account.name}
            </RouteLink>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" onClick={close}>
        <SideBar org={org} sbx={sbx} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
