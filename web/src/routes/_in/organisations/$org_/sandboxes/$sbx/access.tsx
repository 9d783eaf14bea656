import { createFileRoute } from '@tanstack/react-router';
import { OwnAccessPage } from '../../../../../../members/OwnAccessPage';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/access')({ component: Page });

function Page() {
  return <OwnAccessPage {...Route.useParams()} />;
}
