// The audit log's port. Times are in milliseconds since 1970.

import type { Page } from '../page.ts';
import type { AuditEntry, Change } from './entry.ts';

/** Which entries to return. */
export interface AuditQuery {
  /** @default all entries, with or without an account */
  readonly accountId?: string | undefined;
  /** Only entries from this time on. @default all that are kept */
  readonly since?: number | undefined;
  /** Only entries before this time. @default no end */
  readonly until?: number | undefined;
}

export interface AuditLog {
  /** Returns entries, newest first. @param limit entries in a page, at least 1 @param after `next` of the previous page */
  entries(query: AuditQuery, limit: number, after?: string): Promise<Page<AuditEntry>>;
  /** Adds an entry for a change that is not made in this storage. */
  record(change: Change): Promise<void>;
}
