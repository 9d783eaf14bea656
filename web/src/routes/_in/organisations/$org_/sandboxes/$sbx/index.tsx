import { createFileRoute } from '@tanstack/react-router';
import { SandboxPage } from '../../../../../../sandboxes/SandboxPage';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/')({ component: Page });

function Page() {
  return <SandboxPage {...Route.useParams()} />;
}
