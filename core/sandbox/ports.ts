// What the sandbox's DNS needs of storage.

import type { OwnedRecord } from './ownership.ts';
import type { SandboxRecord } from './records.ts';

/** Every method rejects, or throws, with StoreFault (core/store-fault.ts) if storage fails. */
export interface SandboxRecords {
  /** By name, type and value. */
  list(): readonly (SandboxRecord & OwnedRecord)[];
  /** Those at this name and below it. */
  inZone(zone: string): readonly SandboxRecord[];
  /**
   * Puts the record in the place of those of its name and type; with `beside`, beside them. One of the same value is there once, as it was
   * set last.
   *
   * @param accountId whose it is. @default the operator's
   */
  set(record: SandboxRecord, beside: boolean, accountId?: string): Promise<void>;
  /** Removes what is at the name, or of it what has the type, or the value too. @returns how many were removed */
  unset(name: string, type?: string, value?: string): Promise<number>;
}
