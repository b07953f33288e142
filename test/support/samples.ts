// Values that many tests need.

import { randomBytes } from 'node:crypto';
import { type Account, type KeyRecord, NEVER, newAccountId } from '../../core/access/account.ts';
import { digestOf, generateApiKey, keyIdOf } from '../../core/access/api-key.ts';
import type { Limits } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import type { Pet } from '../../core/pets/pet.ts';

/** 2026-11-21T10:00:00Z, the beginning of a minute. */
export const NOON = Date.UTC(2026, 10, 21, 10);

export function samplePet(id: number, fields: Partial<Pet> = {}): Pet {
  return { id, name: `Animal ${id}`, categoryId: BigInt(id), status: 'available', ...fields };
}

export function sampleAccount(limits: Limits = { perMinute: 60, perDay: 1_000 }, createdAt = NOON): Account {
  return { id: newAccountId(randomBytes), name: 'Sample', plan: 'enterprise', limits, createdAt };
}

export function sampleKey(accountId: string, fields: Partial<KeyRecord> = {}): KeyRecord & { text: string } {
  const text = generateApiKey('test', accountId, randomBytes);
  const digest = digestOf(text);
  return { id: keyIdOf(accountId, digest), accountId, digest, name: 'Sample', scopes: SCOPES, createdAt: NOON, expiresAt: NEVER, ...fields, text };
}

/** Numbers that a test can rely on: the same seed, the same sequence. */
export function seededRandom32(seed = 1): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}
