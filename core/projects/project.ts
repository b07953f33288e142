// Projects and their deployments: what is published on a domain.

import type { DomainConfiguration } from '../domains/configuration.ts';
import { DAY_MS } from '../limits/windows.ts';

export interface Project {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Identifies the project in the value of a CNAME, `<token>.<name of the edge>`. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The current deployment; undefined before the first. */
  readonly currentDeploymentId: string | undefined;
  readonly configuration: DomainConfiguration;
}

/** One immutable set of a project's files. */
export interface Deployment {
  readonly id: string;
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly files: number;
  readonly bytes: number;
  /** When it was last made current again, in milliseconds since 1970. @default only its publication did */
  readonly servedAt?: number;
  /** Whether it is kept until it is unpinned. @default false */
  readonly pinned?: boolean;
}

/** How long the token of a deleted project stays reserved, in milliseconds: records may still point to it. A new token is the same by chance only. */
export const PROJECT_TOMBSTONE_MS = 90 * DAY_MS;

export const PROJECT_ID_PREFIX = 'prj_';
export const DEPLOYMENT_ID_PREFIX = 'dpl_';
export const DOMAIN_ID_PREFIX = 'dom_';
/** Base62 characters after the prefix: 59 bits. A conditional write ensures uniqueness. */
export const ID_LENGTH = 10;

export const EMPTY_CONFIGURATION: DomainConfiguration = { domains: { redirects: [] } };
