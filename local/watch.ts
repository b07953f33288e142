// Observers of the host's requests, for metrics and the access log. The APIs observe their own requests.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../core/http/client.ts';
import type { ConnectionLimit } from '../core/limits/connections.ts';
import type { Refusal } from '../service/http/errors.ts';

/** The names under which a request is counted and logged; both have few values. */
export interface Area {
  readonly api: string;
  readonly operation: string;
}

export interface HostWatch {
  /** Follows a request to its end. Must not throw. */
  follow(request: IncomingMessage, response: ServerResponse, client: Client, area: Area): void;
  /** Called when the host has refused a request before the area was known. Must not throw. */
  refused(code: Refusal['code']): void;
  /** Called when the host has closed a connection immediately, because the maximum number is open. Must not throw. */
  connectionRefused(limit: ConnectionLimit): void;
}

const PAGES = 'pages';
const HEALTH: readonly string[] = ['/livez', '/readyz', '/healthz'];
export const DASHBOARD: Area = { api: 'dashboard', operation: 'page' };
export const SIGN_IN: Area = { api: 'sign_in', operation: 'sign_in' };
export const FILE_UPLOAD: Area = { api: 'control', operation: 'uploadFile' };

/** Whether supervisors and load balancers poll the path. */
export function isHealthCheck(path: string): boolean {
  return HEALTH.includes(path);
}

/** Returns the area of a page that has its own path. */
export function areaOf(path: string): Area {
  return { api: PAGES, operation: isHealthCheck(path) ? 'health' : 'reference' };
}

/** Combines several watches into one; undefined if there are none. */
export function watchedBy(watches: readonly (HostWatch | undefined)[]): HostWatch | undefined {
  const some = watches.filter((watch) => watch !== undefined);
  if (some.length < 2) return some[0];
  return {
    follow: (...request) => {
      for (const watch of some) watch.follow(...request);
    },
    refused: (code) => {
      for (const watch of some) watch.refused(code);
    },
    connectionRefused: (limit) => {
      for (const watch of some) watch.connectionRefused(limit);
    },
  };
}
