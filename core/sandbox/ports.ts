// Storage port for the sandbox's DNS.

import type { Awaitable } from '../ports.ts';
import { type SandboxRecord, zoneOfName } from './records.ts';

/** Every method rejects or throws StoreFault if storage fails. */
export interface SandboxRecords {
  /** Returns all records, sorted by name, type and value. */
  list(): Awaitable<readonly StoredSandboxRecord[]>;
  /** Returns the records at this name and below it. */
  inZone(zone: string): Awaitable<readonly SandboxRecord[]>;
  /**
   * Replaces the records with the same name and type; with `beside`, adds to them. Each value is stored only once, as it was last set.
   *
   * @param accountId the record's owner. @default the operator
   */
  set(record: SandboxRecord, beside: boolean, accountId?: string): Promise<void>;
  /** Removes the records at the name, optionally only those with the type and value. @returns how many were removed */
  unset(name: string, type?: string, value?: string): Promise<number>;
  /** Sets records depending on the existing ones, in one step. @param decide gets all records; returns the arguments for `set`, and the result */
  change<T>(decide: (present: readonly StoredSandboxRecord[]) => SandboxChange<T>): Promise<T>;
}

export type StoredSandboxRecord = SandboxRecord & OwnedRecord;

export interface SandboxChange<T> {
  readonly result: T;
  /** @default nothing */
  readonly set?: readonly Parameters<SandboxRecords['set']>[];
}

// Ownership of names in the sandbox. As with a registered domain, a name and everything below it belong to the account that set its first record;
// otherwise, a stranger could set the TXT record that proves a claim to someone else's domain.

/** A record, and the account that set it; undefined if an operator set it, or if the account is unknown. */
export interface OwnedRecord {
  readonly name: string;
  readonly accountId?: string | undefined;
}

/** Returns the account that owns the name; undefined if no account does. */
export function ownerOf(name: string, records: readonly OwnedRecord[], suffix: string): string | undefined {
  const zone = zoneOfName(name, suffix);
  return records.find((record) => record.accountId !== undefined && (record.name === zone || record.name.endsWith(`.${zone}`)))?.accountId;
}

/** Whether the name belongs to an account other than these. */
export function belongsToOther(name: string, accountIds: readonly string[], records: readonly OwnedRecord[], suffix: string): boolean {
  const zone = zoneOfName(name, suffix);
  return records.some((record) => {
    if (record.accountId === undefined || accountIds.includes(record.accountId)) return false;
    return record.name === zone || record.name.endsWith(`.${zone}`);
  });
}
