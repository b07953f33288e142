// A batch of creations in one transaction.

import {
  type CreateResult,
  type Creation,
  type Idempotency,
  PET_FIELD_LIST,
  type Pet,
  parseJson,
  petFromStored,
  petJson,
  StoreFault,
} from 'petstore-platform';
import type { Statement, Transaction } from './database.ts';
import { COLUMNS, type PetRow, SELECT, toPet } from './pet-rows.ts';

/** A creation, and when it was requested. */
export interface Asked {
  readonly creation: Creation;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface RecordRow {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly pet: string;
}

const ARRAYS = ['$1::bigint[]', ...PET_FIELD_LIST.map(({ kind }, index) => `$${index + 2}::${kind === 'int64' ? 'bigint' : 'text'}[]`)].join(', ');
const HOLDERS: Statement = { text: `${SELECT} WHERE id = ANY($1::bigint[])` };
// Every batch locks its new rows in the same order, records first, so that no two batches wait for each other.
const INSERT: Statement = {
  name: 'pets_insert',
  text: `INSERT INTO pets (${COLUMNS}) SELECT * FROM unnest(${ARRAYS}) AS given (${COLUMNS}) ORDER BY id ON CONFLICT DO NOTHING RETURNING id`,
};
/** Waits for other transactions with the same key; the key then belongs to the transaction that commits first. */
const CLAIM: Statement = {
  name: 'idempotency_claim',
  text: `INSERT INTO idempotency AS known (owner, key, fingerprint, pet, expires_at)
    SELECT owner, key, fingerprint, pet, expires_at FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
      AS given (owner, key, fingerprint, pet, expires_at)
    ORDER BY owner COLLATE "C", key COLLATE "C"
    ON CONFLICT (owner, key) DO UPDATE SET fingerprint = excluded.fingerprint, pet = excluded.pet, expires_at = excluded.expires_at
    WHERE known.expires_at <= $6 RETURNING owner, key`,
};
const RECORDS: Statement = {
  name: 'idempotency_records',
  text: 'SELECT owner, key, fingerprint, pet FROM idempotency WHERE (owner, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
};
const RENEW: Statement = {
  name: 'idempotency_renew',
  text: `UPDATE idempotency AS known SET expires_at = given.expires_at FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (owner, key, expires_at)
    WHERE known.owner = given.owner AND known.key = given.key`,
};
const UNCLAIM: Statement = { text: 'DELETE FROM idempotency WHERE (owner, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))' };

/** Creates animals whose ids and idempotency keys are all different. */
export async function createRound(transaction: Transaction, round: readonly Asked[]): Promise<ReadonlyMap<Asked, CreateResult>> {
  const withKey = round.filter(({ creation }) => creation.idempotency !== undefined);
  const claimed = withKey.length === 0 ? new Set<string>() : await claim(transaction, withKey);
  const [mine, used] = [true, false].map((free) =>
    round.filter(({ creation: { idempotency } }) => (idempotency === undefined || claimed.has(nameOf(idempotency))) === free),
  ) as [Asked[], Asked[]];
  const created = mine.length === 0 ? new Set<number>() : await insert(transaction, mine);
  const taken = mine.filter(({ creation }) => !created.has(creation.pet.id));
  const holders = taken.length === 0 ? new Map<number, Pet>() : await holdersOf(transaction, taken);
  const records = used.length === 0 ? new Map<string, RecordRow>() : await recordsOf(transaction, used);
  if (used.length > 0) renew(transaction, used);
  const resultOf = ({ creation: { pet } }: Asked): CreateResult => {
    const holder = holders.get(pet.id);
    return holder === undefined ? { kind: 'created' } : { kind: 'id_taken', holder };
  };
  return new Map([
    ...mine.map((each) => [each, resultOf(each)] as const),
    ...used.map((each) => [each, replayOf(each.creation.idempotency, records.get(nameOf(each.creation.idempotency)))] as const),
  ]);
}

/** @returns the names of the keys that now belong to these creations */
async function claim(transaction: Transaction, asked: readonly Asked[]): Promise<ReadonlySet<string>> {
  const records = asked.flatMap(({ creation: { pet, idempotency } }) => (idempotency === undefined ? [] : [{ ...idempotency, pet: petJson(pet) }]));
  // The requests' times differ only by moments, so it does no harm if a key becomes free slightly late.
  const now = Math.min(...asked.map((each) => each.now));
  const rows = await transaction.query<RecordRow>(CLAIM, [
    ...(['owner', 'key', 'fingerprint', 'pet', 'expiresAt'] as const).map((name) => records.map((record) => record[name])),
    now,
  ]);
  return new Set(rows.map(nameOf));
}

/** Extends the renewable ones among the existing records. */
function renew(transaction: Transaction, used: readonly Asked[]): void {
  const renewed = used.flatMap(({ creation: { idempotency } }) => (idempotency?.renewable ? [idempotency] : []));
  if (renewed.length > 0)
    transaction.send(RENEW, [renewed.map(({ owner }) => owner), renewed.map(({ key }) => key), renewed.map(({ expiresAt }) => expiresAt)]);
}

/** @returns the ids that were free */
async function insert(transaction: Transaction, asked: readonly Asked[]): Promise<ReadonlySet<number>> {
  const pets = asked.map(({ creation }) => creation.pet);
  const values = PET_FIELD_LIST.map(({ name }) => pets.map((pet) => String(pet[name])));
  const rows = await transaction.query<{ id: bigint }>(INSERT, [pets.map(({ id }) => id), ...values]);
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Removes the records of creations that failed, and returns the animals that have their ids. */
async function holdersOf(transaction: Transaction, taken: readonly Asked[]): Promise<ReadonlyMap<number, Pet>> {
  const keys = taken.flatMap(({ creation: { idempotency } }) => idempotency ?? []);
  if (keys.length > 0) transaction.send(UNCLAIM, [keys.map(({ owner }) => owner), keys.map(({ key }) => key)]);
  const rows = await transaction.query<PetRow>(HOLDERS, [taken.map(({ creation }) => creation.pet.id)]);
  return new Map(rows.map(toPet).map((pet) => [pet.id, pet]));
}

async function recordsOf(transaction: Transaction, used: readonly Asked[]): Promise<ReadonlyMap<string, RecordRow>> {
  const keys = used.flatMap(({ creation: { idempotency } }) => idempotency ?? []);
  const rows = await transaction.query<RecordRow>(RECORDS, [keys.map(({ owner }) => owner), keys.map(({ key }) => key)]);
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/** @param record the existing record with the key, or undefined if another process has removed it meanwhile */
function replayOf(idempotency: Idempotency | undefined, record: RecordRow | undefined): CreateResult {
  if (record === undefined) return { kind: 'in_progress' };
  return record.fingerprint === idempotency?.fingerprint ? { kind: 'replayed', pet: storedPet(record.pet) } : { kind: 'key_reused' };
}

/** Returns the creations, but only the first of those with the same id or the same key. */
export function distinct(asked: readonly Asked[]): readonly Asked[] {
  const seen = new Set<string | number>();
  return asked.filter(({ creation: { pet, idempotency } }) => {
    const names = [pet.id, ...(idempotency === undefined ? [] : [nameOf(idempotency)])];
    const isNew = names.every((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  });
}

function nameOf(record: Pick<Idempotency, 'owner' | 'key'> | undefined): string {
  return JSON.stringify([record?.owner, record?.key]);
}

/** Parses an animal stored by petJson. */
function storedPet(text: string): Pet {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new StoreFault('corrupt', `an idempotency record contains no valid animal: ${parsed.problem}`);
  const stored = parsed.value as Record<string, bigint | string>;
  return petFromStored(Number(stored.id), ({ name }) => stored[name]);
}
