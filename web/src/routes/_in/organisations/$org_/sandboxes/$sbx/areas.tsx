import { createFileRoute } from '@tanstack/react-router';
import { AreasPage } from '../../../../../../sandboxes/AreasPage';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/areas')({ component: Page });

function Page() {
  return <AreasPage {...Route.useParams()} />;
}
