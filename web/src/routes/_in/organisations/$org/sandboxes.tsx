import { createFileRoute } from '@tanstack/react-router';
import { SandboxesPage } from '../../../../sandboxes/SandboxesPage';

export const Route = createFileRoute('/_in/organisations/$org/sandboxes')({ component: Page });

function Page() {
  return <SandboxesPage {...Route.useParams()} />;
}
