import { createFileRoute } from '@tanstack/react-router';
import { AuditPage } from '../../../../../../audit/AuditPage';
import { filters } from '../../../../../../audit/filters';

export const Route = createFileRoute('/_in/organisations/$org_/sandboxes/$sbx/audit')({ validateSearch: filters, component: Page });

function Page() {
  const navigate = Route.useNavigate();
  return <AuditPage {...Route.useParams()} search={Route.useSearch()} change={(search) => void navigate({ search })} />;
}
