import { createFileRoute } from '@tanstack/react-router';
import { EmergencyPage } from '../../../../../../emergency/EmergencyPage';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/emergency')({ component: Page });

function Page() {
  return <EmergencyPage {...Route.useParams()} />;
}
