import { Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { organisationInvitationList, organisationInvitationRevoke } from '../api/gen/sdk.gen';
import type { CreatedInvitation } from '../api/gen/types.gen';
import { usePages } from '../api/pages';
import { organisation } from '../organisations/queries';
import { ActionButton } from '../ui/ActionButton';
import { Guarded } from '../ui/Guarded';
import { PageHead } from '../ui/PageHead';
import { SearchBox } from '../ui/SearchBox';
import { InvitationTable } from './InvitationTable';
import { LinkDialog } from './LinkDialog';
import { OrganisationInviteDialog } from './OrganisationInviteDialog';

/** Who has been asked to join an organisation and has not answered yet. */
export function OrganisationInvitationsPage({ org }: { org: string }) {
  const { t } = useTranslation();
  return (
    <Guarded org={org} action="invitation.list" title={t('nav.invitations')}>
      <Open org={org} />
    </Guarded>
  );
}

function Open({ org }: { org: string }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [opened, { open, close }] = useDisclosure();
  const [created, setCreated] = useState<CreatedInvitation>();
  const allowed = useQuery(organisation(org)).data?.allowed;
  const pages = usePages(['organisation', org, 'invitations', search], (cursor, signal) =>
    organisationInvitationList({ path: { org }, query: { cursor, search: search || undefined }, signal }),
  );
  return (
    <Stack>
      <PageHead title={t('nav.invitations')} about={t('invitation.aboutOrganisation')}>
        <ActionButton permission={allowed?.['invitation.create']} onClick={open}>
          {t('invitation.invite')}
        </ActionButton>
      </PageHead>
      <Group>
        <SearchBox value={search} onSearch={setSearch} />
      </Group>
      <InvitationTable pages={pages} revoke={(inv) => organisationInvitationRevoke({ path: { org, inv } })} />
      {opened && <OrganisationInviteDialog org={org} close={close} done={setCreated} />}
      {created && <LinkDialog created={created} close={() => setCreated(undefined)} />}
    </Stack>
  );
}
