import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './ui/base.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { toFragment } from './accounts/returnPath';
import { onSignedOut } from './accounts/signedOut';
import './api/client';
import { ProblemError } from './api/problem';
import { startLanguage } from './i18n';
import { routeTree } from './routeTree.gen';
import { colours, theme } from './ui/theme';
import { ConfirmationDialog } from './waits/ConfirmationDialog';

// The content security policy allows neither compiled code nor a style without the page's nonce.
config({ jitless: true });
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(nonce);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays a refusal: only a server that was not reached, or fell over, is asked again.
      retry: (count, error) => count < 2 && !(error instanceof ProblemError && error.status >= 400 && error.status < 500),
    },
  },
});
const router = createRouter({ routeTree, context: { queries }, defaultPreload: 'intent', scrollRestoration: true });
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const open = ['/sign-in', '/first-owner', '/invitation'];
onSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (open.includes(pathname)) return;
  queries.clear();
  void router.navigate({ to: '/sign-in', hash: toFragment(href) });
});

async function start(): Promise<void> {
  await startLanguage();
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={colours} getStyleNonce={() => nonce}>
        <QueryClientProvider client={queries}>
          <Notifications />
          <RouterProvider router={router} />
          <ConfirmationDialog />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

void start();
