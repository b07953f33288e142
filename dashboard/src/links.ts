// Links within the dashboard change the page without a reload; all others, and clicks that open a new tab, are left to the browser.

import type { AnyRouter } from '@tanstack/react-router';

/** Paths on this host that do not belong to the application. */
const ELSEWHERE = /^\/(docs|v1|oidc|dashboard|security)(\/|$)/;

/** Handles clicks on links within the dashboard. */
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
