// The storage port of a whole installation, kind by kind: what `petstore move` reads and writes.

import type { RecordKindName, StoredRecord } from './kinds.ts';

/** Every method rejects only with StoreFault. */
export interface RecordStore {
  /** Whether anything is stored that a new installation does not have. */
  isEmpty(): Promise<boolean>;
  /**
   * A page of a kind's records, in the order of their keys; empty after the last one.
   *
   * @param after the record after which the page begins. @default the first page
   */
  page(kind: RecordKindName, after?: StoredRecord): Promise<readonly StoredRecord[]>;
  /**
   * Stores records. One with the same key is replaced, except entries of the audit log, which never change while they are kept. One that can't be stored beside another, such
   * as a second domain that has proved the same host, is left out.
   */
  put(kind: Exclude<RecordKindName, 'site_files'>, records: readonly StoredRecord[]): Promise<void>;
  /** Removes the records with the keys of these. Entries of the audit log stay for 400 days. */
  remove(kind: Exclude<RecordKindName, 'site_files'>, records: readonly StoredRecord[]): Promise<void>;
}
