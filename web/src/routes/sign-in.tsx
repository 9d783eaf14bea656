import { createFileRoute } from '@tanstack/react-router';
import { SignInPage } from '../accounts/SignInPage';

export const Route = createFileRoute('/sign-in')({ component: SignInPage });
