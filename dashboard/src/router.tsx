// Addresses and their pages. Each page is loaded when it is first gone to.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { Home } from './pages/home.tsx';
import { Failure } from './parts/failure.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: () => <Failure error={new Error('There is no such page.')} /> });
const page = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load as never, name as never) });

const routes = root.addChildren([
  createRoute({ getParentRoute: () => root, path: '/', component: Home }),
  page('/accounts/$accountId/projects', () => import('./pages/projects.tsx'), 'ProjectsPage'),
  page('/accounts/$accountId/keys', () => import('./pages/keys.tsx'), 'KeysPage'),
  page('/accounts/$accountId/usage', () => import('./pages/usage.tsx'), 'UsagePage'),
  page('/projects/$projectId', () => import('./pages/project.tsx'), 'ProjectPage'),
  page('/projects/$projectId/domains', () => import('./pages/domains.tsx'), 'DomainsPage'),
  page('/projects/$projectId/domains/$domainId', () => import('./pages/domain.tsx'), 'DomainPage'),
  page('/projects/$projectId/settings', () => import('./pages/settings.tsx'), 'SettingsPage'),
  page('/sandbox', () => import('./pages/sandbox.tsx'), 'SandboxPage'),
]);

export const router = createRouter({ routeTree: routes, defaultPreload: 'intent', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
