import { createFileRoute } from '@tanstack/react-router';
import { OrganisationLayout } from '../../../../organisations/OrganisationLayout';

export const Route = createFileRoute('/_in/organisations/$org')({ component: Page });

function Page() {
  return <OrganisationLayout {...Route.useParams()} />;
}
