import { Divider, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../accounts/session';
import { SideLink } from './RouteLink';

/** The pages that are reachable from here: those of the open sandbox, else those of the open organisation. */
export function SideBar({ org, sbx }: { org?: string; sbx?: string }) {
  const { t } = useTranslation();
  const { organisations, sandboxes } = useSession();
  const organisation =
    organisations.find((one) => one.id === org)?.name ?? sandboxes.find((one) => one.organisationId === org)?.organisationName;
  const sandbox = sandboxes.find((one) => one.id === sbx)?.name;
  return (
    <>
      <SideLink to="/" label={t('home.title')} activeOptions={{ exact: true }} />
      {org && (
        <>
          <Divider my="xs" />
          {sbx ? (
            <SideLink
              to="/organisations/$org"
              params={{ org }}
              label={organisation ?? t('organisation.one')}
              description={t('organisation.one')}
              activeOptions={{ exact: true }}
            />
          ) : (
            <OrganisationLinks org={org} name={organisation ?? t('organisation.one')} />
          )}
        </>
      )}
      {org && sbx && <SandboxLinks org={org} sbx={sbx} name={sandbox ?? t('sandbox.one')} />}
      <Divider my="xs" />
      <SideLink to="/account" label={t('account.title')} />
    </>
  );
}

function OrganisationLinks({ org, name }: { org: string; name: string }) {
  const { t } = useTranslation();
  const params = { org };
  return (
    <nav aria-label={t('organisation.one')}>
      <Text size="sm" fw={700} px="sm" py={4} truncate>
        {name}
      </Text>
      <SideLink to="/organisations/$org" params={params} label={t('nav.overview')} activeOptions={{ exact: true }} />
      <SideLink to="/organisations/$org/members" params={params} label={t('nav.members')} />
      <SideLink to="/organisations/$org/invitations" params={params} label={t('nav.invitations')} />
      <SideLink to="/organisations/$org/sandboxes" params={params} label={t('nav.sandboxes')} />
      <SideLink to="/organisations/$org/policy" params={params} label={t('nav.policy')} />
      <SideLink to="/organisations/$org/waits" params={params} label={t('nav.waits')} />
      <SideLink to="/organisations/$org/emergency" params={params} label={t('nav.emergency')} />
      <SideLink to="/organisations/$org/audit" params={params} label={t('nav.audit')} />
    </nav>
  );
}

function SandboxLinks({ org, sbx, name }: { org: string; sbx: string; name: string }) {
  const { t } = useTranslation();
  const params = { org, sbx };
  return (
    <nav aria-label={t('sandbox.one')}>
      <Text size="sm" fw={700} px="sm" py={4} truncate>
        {name}
      </Text>
      <SideLink to="/organisations/$org/sandboxes/$sbx" params={params} label={t('nav.overview')} activeOptions={{ exact: true }} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/members" params={params} label={t('nav.members')} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/areas" params={params} label={t('nav.areas')} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/access" params={params} label={t('nav.access')} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/policy" params={params} label={t('nav.policy')} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/emergency" params={params} label={t('nav.emergency')} />
      <SideLink to="/organisations/$org/sandboxes/$sbx/audit" params={params} label={t('nav.audit')} />
    </nav>
  );
}
