// The application: opens the page for the URL.

import '@fontsource-variable/figtree/index.css';
import './ui/style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Application } from './application.tsx';
import { followLinks } from './links.ts';
import { openRouter, preloadPagesOnUse } from './router.tsx';
import type { Session } from './session.ts';

/** Shows the application to a signed-in user. */
export function show(session: Session): void {
  const router = openRouter();
  followLinks(router);
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <Application session={session} router={router} />
    </StrictMode>,
  );
  preloadPagesOnUse(router);
}
