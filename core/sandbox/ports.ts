// Storage port for the sandbox's DNS.

import type { OwnedRecord } from './ownership.ts';
import type { SandboxRecord } from './records.ts';

/** Every method rejects or throws StoreFault if storage fails. */
export interface SandboxRecords {
  /** All records, sorted by name, type and value. */
  list(): readonly (SandboxRecord & OwnedRecord)[];
  /** Records at this name and below it. */
  inZone(zone: string): readonly SandboxRecord[];
  /**
   * Replaces the records with the same name and type; with `beside`, adds to them. A record is stored once per value, as last set.
   *
   * @param accountId the record's owner. @default the operator
   */
  set(record: SandboxRecord, beside: boolean, accountId?: string): Promise<void>;
  /** Removes the records at the name, optionally only those with the type and value. @returns how many were removed */
  unset(name: string, type?: string, value?: string): Promise<number>;
}
