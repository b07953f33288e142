// Projects and their deployments: what is published on a domain. Times are in milliseconds since 1970.

import type { DomainConfiguration } from '../domains/configuration.ts';
import { DAY_MS } from '../limits/windows.ts';

export interface Project {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Identifies the project in the value of a CNAME, `<token>.<edge name>`. */
  readonly token: string;
  readonly createdAt: number;
  /** Undefined before the first deployment. */
  readonly currentDeploymentId: string | undefined;
  readonly configuration: DomainConfiguration;
}

/** One immutable set of a project's files. */
export interface Deployment {
  readonly id: string;
  readonly projectId: string;
  readonly createdAt: number;
  readonly files: number;
  readonly bytes: number;
  /** When it was last made current again. @default never: made current only when published */
  readonly servedAt?: number;
  /** Whether it is kept until it is unpinned. @default false */
  readonly pinned?: boolean;
}

/** How long a deleted project's token stays reserved, in milliseconds, because records may still point to it. Later, only chance could reuse it. */
export const PROJECT_TOMBSTONE_MS = 90 * DAY_MS;

export const PROJECT_ID_PREFIX = 'prj_';
export const DEPLOYMENT_ID_PREFIX = 'dpl_';
export const DOMAIN_ID_PREFIX = 'dom_';
/** Base62 characters after the prefix: 59 bits. A conditional write ensures uniqueness. */
export const ID_LENGTH = 10;

export const EMPTY_CONFIGURATION: DomainConfiguration = { domains: { redirects: [] } };

// Visits to projects' sites, counted by day for the operator, and written as log lines for owners who have opted in.

/** The traffic of one project's visitors on one day. */
export interface ProjectTraffic {
  readonly projectId: string;
  /** In UTC, such as `2026-11-24`. */
  readonly day: string;
  readonly requests: number;
  /** Sent to visitors, with headers. */
  readonly bytes: number;
}

/** How long the figures are kept. */
export const TRAFFIC_KEPT_DAYS = 400;

/** Every method rejects only with StoreFault, if storage fails. */
export interface TrafficStore {
  /** Adds these figures to the projects' daily totals. Not idempotent; if it rejects, some may have been added. */
  add(traffic: readonly ProjectTraffic[]): Promise<void>;
  /** Returns the projects' figures for each day from the first to the last, inclusive. */
  between(first: string, last: string): Promise<readonly ProjectTraffic[]>;
}

/** One request, as logged by the edge. */
export interface LoggedVisit {
  /** The name that the visitor requested. */
  readonly host: string;
  /** When the response was sent. */
  readonly at: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 0 if the visitor disconnected before the response. */
  readonly status: number;
  /** Sent to the visitor, including headers. */
  readonly bytes: number;
  readonly durationMs: number;
}

/** The log files that the edge delivers. Every method rejects only with StoreFault, if storage fails. */
export interface VisitLogs {
  /** Returns a page of the files, sorted by name. @param after `next` of the previous page. @default the first page */
  list(after?: string): Promise<{ readonly items: readonly string[]; readonly next: string | undefined }>;
  /** Reads a file; yields nothing if it is gone. Lines that are not visits are left out; rejects if a file has only such lines. */
  read(file: string): AsyncIterable<LoggedVisit>;
  /** Removes files, and returns those that could not be removed. */
  remove(files: readonly string[]): Promise<readonly string[]>;
}
