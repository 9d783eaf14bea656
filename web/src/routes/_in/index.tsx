import { createFileRoute } from '@tanstack/react-router';
import { HomePage } from '../../organisations/HomePage';

export const Route = createFileRoute('/_in/')({ component: HomePage });
