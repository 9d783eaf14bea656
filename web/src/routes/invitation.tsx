import { createFileRoute } from '@tanstack/react-router';
import { InvitationPage } from '../invitations/InvitationPage';

export const Route = createFileRoute('/invitation')({ component: InvitationPage });
