import { createFileRoute } from '@tanstack/react-router';
import { WaitsPage } from '../../../../waits/WaitsPage';

export const Route = createFileRoute('/_in/organisations/$org/waits')({ component: Page });

function Page() {
  return <WaitsPage {...Route.useParams()} />;
}
