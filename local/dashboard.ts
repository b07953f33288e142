// The dashboard on the embedded host: the built files, and the start page for every URL within the dashboard.

import { dashboardPolicy, OPENER_POLICY } from '../core/dashboard-policy.ts';
import { readDashboardFiles, type ServedFile, START_PAGE } from '../platforms/built-files.ts';
import type { PageSource } from './host.ts';
import { type StaticFile, sendStatic, staticFile } from './static-file.ts';

const POLICY = dashboardPolicy();

/**
 * Opens the built dashboard.
 *
 * @param client the dashboard's settings for signing in on this host
 * @returns undefined if the dashboard has not been built
 */
export function openDashboard(client: object): PageSource | undefined {
  const built = readDashboardFiles(JSON.stringify(client));
  if (built === undefined) return undefined;
  const files = new Map(built.map((file) => [`/${file.name}`, servedFile(file)]));
  const start = files.get(`/${START_PAGE}`);
  return {
    pageFor: ({ headers }, path) => {
      const file = files.get(path);
      if (file !== undefined) return (request, response) => sendStatic(request, response, file);
      // URLs within the dashboard are pages only for browsers; other clients get a 404.
      const wantsPage = /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(v1|docs|healthz|livez|readyz|oidc|dashboard|deploy)(\/|$)/.test(path);
      return wantsPage && start !== undefined ? (request, response) => sendStatic(request, response, start) : undefined;
    },
  };
}

function servedFile({ content, compressed, contentType, cacheControl }: ServedFile): StaticFile {
  const headers = {
    'cache-control': cacheControl,
    'content-security-policy': POLICY,
    [OPENER_POLICY.name]: OPENER_POLICY.value,
    'referrer-policy': 'no-referrer',
  };
  return staticFile(content, contentType, headers, compressed);
}
