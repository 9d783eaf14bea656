import { invitationList, invitationRevoke } from '../api/gen/sdk.gen';
import type { Permission } from '../api/gen/types.gen';
import { usePages } from '../api/pages';
import { InvitationTable } from './InvitationTable';

/** Who has been asked into a sandbox and has not answered yet. */
export function SandboxInvitations({ org, sbx, permission }: { org: string; sbx: string; permission?: Permission }) {
  const pages = usePages(['sandbox', org, sbx, 'invitations'], (cursor, signal) =>
    invitationList({ path: { org, sbx }, query: { cursor }, signal }),
  );
  return <InvitationTable pages={pages} permission={permission} revoke={(inv) => invitationRevoke({ path: { org, sbx, inv } })} />;
}
