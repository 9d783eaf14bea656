import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { NotFoundPage } from '../ui/NotFoundPage';

export const Route = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Outlet, notFoundComponent: NotFoundPage });
