// Starts the dashboard: restores the session, then opens the page for the URL.

import '@cloudscape-design/global-styles/index.css';
import './page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Application } from './application.tsx';
import { followLinks } from './links.ts';
import { preloadPagesOnUse, router } from './router.tsx';
import { openSession } from './session.ts';
import { followTheme } from './theme.ts';

async function start(): Promise<void> {
  followTheme();
  const session = await openSession();
  if (location.pathname === '/signed-in') history.replaceState(null, '', await session.finishSignIn().catch(() => '/'));
  if ((await session.token()) === undefined) return session.signIn();
  followLinks(router);
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <Application session={session} />
    </StrictMode>,
  );
  preloadPagesOnUse();
}

start().catch((error: unknown) => {
  const root = document.getElementById('root');
  if (root !== null) root.textContent = `The dashboard can't start: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
});
