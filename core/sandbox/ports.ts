// What the sandbox's DNS needs of storage.

import type { OwnedRecord } from './ownership.ts';
import type { SandboxRecord } from './records.ts';

export interface SandboxRecords {
  list(): readonly (SandboxRecord & OwnedRecord)[];
  /** Those at this name and below it. */
  inZone(zone: string): readonly SandboxRecord[];
  /**
   * Puts the record in the place of those of its name and type; with `beside`, beside them.
   *
   * @param accountId whose it is. @default the operator's
   */
  set(record: SandboxRecord, beside: boolean, accountId?: string): Promise<void>;
  /** @returns how many were removed */
  unset(name: string, type?: string, value?: string): Promise<number>;
}
