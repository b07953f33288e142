// Values that the contract suites store.

import { randomBytes } from 'node:crypto';
import { type Account, type KeyRecord, NEVER, newAccountId } from '../core/access/account.ts';
import { digestOf, generateApiKey, keyIdOf } from '../core/access/api-key.ts';
import { type Limits, SCOPES } from '../core/access/plans.ts';
import type { FieldKind, FieldValue, PetField } from '../core/pets/fields.ts';
import { type Pet, petFromStored } from '../core/pets/pet.ts';

/** 2026-11-21T10:00:00Z, the start of a minute. */
export const NOON = Date.UTC(2026, 10, 21, 10);

export const REVOKED = { at: NOON, by: 'usr_1' } as const;

/** Returns a value for each kind of field; texts and integers are different for each n. */
const SAMPLE_VALUES: Readonly<Record<FieldKind, (n: number, field: PetField) => FieldValue>> = {
  text: (n) => `Animal ${n}`,
  int64: (n) => BigInt(n),
  choice: (_n, field) => (field.kind === 'choice' ? (field.choices[0] ?? '') : ''),
};

/** Returns an animal as stored, with this id and these fields. */
export function samplePet(id: number, fields: Partial<Pet> = {}): Pet {
  return { ...petFromStored(id, (field) => SAMPLE_VALUES[field.kind](id, field)), ...fields };
}

/** Returns an account on the Enterprise plan, with a random id. */
export function sampleAccount(limits: Limits = { perMinute: 60, perDay: 1_000 }, createdAt = NOON): Account {
  return { id: newAccountId(randomBytes), name: 'Sample', plan: 'enterprise', limits, createdAt };
}

/** Returns a random key with all scopes for the account, and the key's text. */
export function sampleKey(accountId: string, fields: Partial<KeyRecord> = {}): KeyRecord & { text: string } {
  const text = generateApiKey('test', accountId, randomBytes);
  const digest = digestOf(text);
  return { id: keyIdOf(accountId, digest), accountId, digest, name: 'Sample', scopes: SCOPES, createdAt: NOON, expiresAt: NEVER, ...fields, text };
}

/** Returns a sample key as stored, without its text. */
export function withoutText({ text: _, ...record }: ReturnType<typeof sampleKey>) {
  return record;
}
