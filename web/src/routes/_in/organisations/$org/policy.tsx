import { createFileRoute } from '@tanstack/react-router';
import { PolicyPage } from '../../../../policies/PolicyPage';

export const Route = createFileRoute('/_in/organisations/$org/policy')({ component: Page });

function Page() {
  return <PolicyPage {...Route.useParams()} />;
}
