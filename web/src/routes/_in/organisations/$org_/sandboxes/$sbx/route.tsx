import { createFileRoute } from '@tanstack/react-router';
import { SandboxLayout } from '../../../../../../sandboxes/SandboxLayout';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx')({ component: Page });

function Page() {
  return <SandboxLayout {...Route.useParams()} />;
}
