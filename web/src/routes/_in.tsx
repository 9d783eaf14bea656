import { createFileRoute } from '@tanstack/react-router';
import { session } from '../accounts/session';
import { FailedPage } from '../ui/FailedPage';
import { Shell } from '../ui/Shell';

export const Route = createFileRoute('/_in')({
  beforeLoad: ({ context }) => context.queries.ensureQueryData(session),
  component: Shell,
  errorComponent: FailedPage,
});
