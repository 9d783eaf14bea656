import { createFileRoute } from '@tanstack/react-router';
import { MembersPage } from '../../../../../../members/MembersPage';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/members')({ component: Page });

function Page() {
  return <MembersPage {...Route.useParams()} />;
}
