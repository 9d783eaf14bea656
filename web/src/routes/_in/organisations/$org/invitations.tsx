import { createFileRoute } from '@tanstack/react-router';
import { OrganisationInvitationsPage } from '../../../../invitations/OrganisationInvitationsPage';

export const Route = createFileRoute('/_in/organisations/$org/invitations')({ component: Page });

function Page() {
  return <OrganisationInvitationsPage {...Route.useParams()} />;
}
