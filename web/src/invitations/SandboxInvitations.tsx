import { invitationList, invitationRevoke } from '../api/gen/sdk.gen';
import { usePages } from '../api/pages';
import { InvitationTable } from './InvitationTable';

/** Who has been asked into a sandbox and has not answered yet. */
export function SandboxInvitations({ org, sbx }: { org: string; sbx: string }) {
  const pages = usePages(['sandbox', org, sbx, 'invitations'], (cursor, signal) =>
    invitationList({ path: { org, sbx }, query: { cursor }, signal }),
  );
  return <InvitationTable pages={pages} revoke={(inv) => invitationRevoke({ path: { org, sbx, inv } })} />;
}
