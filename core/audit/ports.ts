// The port of the audit log.

import type { Page } from '../page.ts';
import type { AuditEntry, Change } from './entry.ts';

/** Which entries to return. */
export interface AuditQuery {
  /** @default entries of all accounts, and of none */
  readonly accountId?: string | undefined;
  /** Milliseconds since 1970; entries from then on. @default all that are kept */
  readonly since?: number | undefined;
  /** Milliseconds since 1970; entries before that. @default until now */
  readonly until?: number | undefined;
}

export interface AuditLog {
  /** Entries, the latest first. @param limit entries in a page, at least 1 @param after `next` of the page before */
  entries(query: AuditQuery, limit: number, after?: string): Promise<Page<AuditEntry>>;
  /** Adds an entry for a change that has no step of its own in this storage. */
  record(change: Change): Promise<void>;
}
