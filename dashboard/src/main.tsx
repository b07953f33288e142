// The dashboard starts: who is signed in, then the page that the address names.

import '@cloudscape-design/global-styles/index.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api.ts';
import { router } from './router.tsx';
import { openSession } from './session.ts';
import { Shell } from './shell.tsx';
import { followTheme } from './theme.ts';

/** What is wrong by itself passes by itself: asked again at growing intervals, also while the service is away. */
const RETRIES = 3;

async function start(): Promise<void> {
  followTheme();
  const session = await openSession();
  if (location.pathname === '/signed-in') history.replaceState(null, '', await session.finishSignIn().catch(() => '/'));
  if ((await session.token()) === undefined) return session.signIn();
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < RETRIES,
        staleTime: 2_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Shell session={session}>
          <RouterProvider router={router} />
        </Shell>
      </QueryClientProvider>
    </StrictMode>,
  );
}

start().catch((error: unknown) => {
  const root = document.getElementById('root');
  if (root !== null) root.textContent = `The dashboard can't start: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
});
