// The application: opens the page for the URL.

import '@fontsource-variable/figtree/index.css';
import './ui/style.css';
import type { AnyRouter } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Application } from './application.tsx';
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

/** Paths on this host that do not belong to the application. */
const ELSEWHERE = /^\/(docs|v1|oidc|dashboard|security)(\/|$)/;

/** Makes clicks on links within the dashboard change the page without a reload; all others are left to the browser. */
export function followLinks(router: AnyRouter): void {
  document.addEventListener('click', (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || event.defaultPrevented || link === null || link.target === '_blank' || link.hasAttribute('download')) return;
    const { origin, pathname, hash } = new URL(link.href, location.href);
    if (link.getAttribute('href') === null || origin !== location.origin || ELSEWHERE.test(pathname) || hash !== '') return;
    event.preventDefault();
    void router.navigate({ to: pathname });
  });
}
