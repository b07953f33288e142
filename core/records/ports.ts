// The storage port that `petstore move` uses to read and write a whole installation, kind by kind.

import type { RecordKindName, StoredRecord } from './kinds.ts';

/** Every method rejects only with StoreFault. */
export interface RecordStore {
  /** Whether the store has no records beyond a new installation's. */
  isEmpty(): Promise<boolean>;
  /**
   * Returns a page of a kind's records, in the order of their keys; empty after the last one.
   *
   * @param after the record after which the page begins. @default the first page
   */
  page(kind: RecordKindName, after?: StoredRecord): Promise<readonly StoredRecord[]>;
  /**
   * Stores records. A record with the same key is replaced, except for entries of the audit log, which never change while they are kept. A record
   * that conflicts with another, such as a second domain that is verified for the same host, is left out.
   */
  put(kind: Exclude<RecordKindName, 'site_files'>, records: readonly StoredRecord[]): Promise<void>;
  /** Removes the records with the same keys as these. Entries of the audit log stay for 400 days. */
  remove(kind: Exclude<RecordKindName, 'site_files'>, records: readonly StoredRecord[]): Promise<void>;
}
