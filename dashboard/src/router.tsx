// The routes and their pages.

import { createLazyRoute, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { INVITATION_PATH } from '../../core/access/invitation-link.ts';
import { Frame } from './frame.tsx';
import { Home, NotFound } from './pages/home.tsx';
import { Failure, Loading } from './parts/failure.tsx';
import { loadPage, NotLoaded, Reopen } from './parts/not-loaded.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

/** Returns the page for a path: the export with this name in a module that is loaded on demand. */
function page<Path extends string, Name extends string>(path: Path, load: () => Promise<Record<Name, FunctionComponent>>, name: Name) {
  return createRoute({ getParentRoute: () => root, path }).lazy(async () => createLazyRoute(path)({ component: await loadPage(load, name) }));
}

const routes = root.addChildren([
  createRoute({ getParentRoute: () => root, path: '/', component: Home }),
  page('/accounts/new', () => import('./pages/new-account.tsx'), 'NewAccountPage'),
  page('/accounts/$accountId/projects', () => import('./pages/projects.tsx'), 'ProjectsPage'),
  page('/accounts/$accountId/keys', () => import('./pages/keys.tsx'), 'KeysPage'),
  page('/accounts/$accountId/usage', () => import('./pages/usage.tsx'), 'UsagePage'),
  page('/accounts/$accountId/activity', () => import('./pages/activity.tsx'), 'ActivityPage'),
  page('/accounts/$accountId/members', () => import('./pages/members.tsx'), 'MembersPage'),
  page('/accounts/$accountId/plan', () => import('./pages/plan.tsx'), 'PlanPage'),
  page('/accounts/$accountId/settings', () => import('./pages/account.tsx'), 'AccountPage'),
  page('/projects/$projectId', () => import('./pages/project.tsx'), 'ProjectPage'),
  page('/projects/$projectId/domains', () => import('./pages/domains.tsx'), 'DomainsPage'),
  page('/projects/$projectId/domains/$domainId', () => import('./pages/domain.tsx'), 'DomainPage'),
  page('/projects/$projectId/settings', () => import('./pages/settings.tsx'), 'SettingsPage'),
  page('/notifications', () => import('./pages/notifications.tsx'), 'NotificationsPage'),
  page('/sessions', () => import('./pages/sessions.tsx'), 'SessionsPage'),
  page(INVITATION_PATH, () => import('./pages/invitation.tsx'), 'InvitationPage'),
  page('/operator', () => import('./pages/operator.tsx'), 'OperatorPage'),
  page('/sandbox', () => import('./pages/sandbox.tsx'), 'SandboxPage'),
]);

/** Creates the router. It reads the URL, so the one that the sign-in page returns to must already have been replaced. */
export function openRouter() {
  return createRouter({
    routeTree: routes,
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    // The frame is shown at once, and its data is requested while the page loads.
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    defaultErrorComponent: ({ error, reset }) =>
      error instanceof NotLoaded ? (
        <Reopen page={error.page} />
      ) : (
        <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
      ),
  });
}

export type Router = ReturnType<typeof openRouter>;

/** Preloads the other pages at the first input: not earlier, for a quick first page; not later, so that navigation works without the service. */
export function preloadPagesOnUse(router: Router): void {
  const used = new AbortController();
  const load = () => {
    used.abort();
    void Promise.allSettled(Object.values(router.routesById).map((route) => route.lazyFn?.()));
  };
  for (const sign of ['pointermove', 'pointerdown', 'keydown']) addEventListener(sign, load, { signal: used.signal, passive: true });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: Router;
  }
}
