import { createFileRoute } from '@tanstack/react-router';
import { AccountPage } from '../../accounts/AccountPage';

export const Route = createFileRoute('/_in/account')({ component: AccountPage });
