import { createFileRoute } from '@tanstack/react-router';
import { FirstOwnerPage } from '../accounts/FirstOwnerPage';

export const Route = createFileRoute('/first-owner')({ component: FirstOwnerPage });
