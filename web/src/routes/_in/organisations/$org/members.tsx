import { createFileRoute } from '@tanstack/react-router';
import { OrganisationMembersPage } from '../../../../organisations/OrganisationMembersPage';

export const Route = createFileRoute('/_in/organisations/$org/members')({ component: Page });

function Page() {
  return <OrganisationMembersPage {...Route.useParams()} />;
}
