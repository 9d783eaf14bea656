import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invitationList, invitationRevoke } from '../api/gen/sdk.gen';
import { usePages } from '../api/pages';
import { SearchBox } from '../ui/SearchBox';
import { InvitationTable } from './InvitationTable';

/** Who has been asked into a sandbox and has not answered yet. */
export function SandboxInvitations({ org, sbx }: { org: string; sbx: string }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const pages = usePages(['sandbox', org, sbx, 'invitations', search], (cursor, signal) =>
    invitationList({ path: { org, sbx }, query: { cursor, search: search || undefined }, signal }),
  );
  return (
    <>
      <SearchBox value={search} onSearch={setSearch} label={t('list.searchIn', { list: t('nav.invitations') })} />
      <InvitationTable pages={pages} revoke={(inv) => invitationRevoke({ path: { org, sbx, inv } })} />
    </>
  );
}
