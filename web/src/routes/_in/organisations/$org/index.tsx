import { createFileRoute } from '@tanstack/react-router';
import { OrganisationPage } from '../../../../organisations/OrganisationPage';

export const Route = createFileRoute('/_in/organisations/$org/')({ component: Page });

function Page() {
  return <OrganisationPage {...Route.useParams()} />;
}
