// Animals in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { parseJson } from '../../../core/json.ts';
import { type FieldValue, PET_FIELD_LIST } from '../../../core/pets/fields.ts';
import { type Pet, petFromStored, petJson } from '../../../core/pets/pet.ts';
import type { CreateResult, Creation, Idempotency, PetStore } from '../../../core/pets/ports.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { prepareSelect } from './database.ts';
import { createSqliteImportedLines } from './imported-lines.ts';
import { batched, guarded, transaction } from './transaction.ts';

/** A row of `pets` as an array, with integers as bigints: half the cost of objects. The id comes first, then the fields in their order. */
type PetRow = [id: bigint, ...fields: (FieldValue | null)[]];

/** Maximum number of expired idempotency records that one batch of creations deletes. */
const CLEAR_AT_ONCE = 100;

const COLUMNS = ['id', ...PET_FIELD_LIST.map(({ column }) => column)];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM pets`;
export const LIST_SQL = `${SELECT} WHERE id > ? ORDER BY id LIMIT ?`;
/** Reads only the index `pets_by_status`, which has all columns: CONTRIBUTING.md, A new field. */
export const LIST_BY_STATUS_SQL = `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;
const INSERT_SQL = `INSERT INTO pets (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;

/** Creates the pet store. Concurrent creations share a commit. */
export function createSqlitePetStore(database: DatabaseSync): PetStore {
  const rows = (sql: string) => prepareSelect<PetRow>(database, sql, 'arrays');
  const list = rows(LIST_SQL);
  const listByStatus = rows(LIST_BY_STATUS_SQL);
  const select = rows(`${SELECT} WHERE id = ?`);
  const insert = database.prepare(INSERT_SQL);
  const remove = database.prepare('DELETE FROM pets WHERE id = ?');
  const selectRecord = prepareSelect<{ fingerprint: string; pet: string }>(
    database,
    'SELECT fingerprint, pet FROM idempotency WHERE owner = ? AND key = ? AND expires_at > ?',
  );
  const insertRecord = database.prepare('INSERT OR REPLACE INTO idempotency (owner, key, fingerprint, pet, expires_at) VALUES (?, ?, ?, ?, ?)');
  const clearExpired = database.prepare(
    'DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
  );

  const lines = createSqliteImportedLines(database);

  const selectPet = (id: number): Pet | undefined => {
    const row = select.one(id);
    return row && toPet(row);
  };

  function create({ pet, idempotency }: Creation, now: number): CreateResult {
    const earlier = idempotency && replay(pet, idempotency, now);
    if (earlier !== undefined) return earlier;
    const { changes } = insert.run(pet.id, ...PET_FIELD_LIST.map(({ name }) => pet[name]));
    if (changes === 0) return { kind: 'id_taken', holder: selectPet(pet.id) as Pet };
    if (idempotency?.renewable) lines.add(idempotency, pet.id, now);
    else if (idempotency !== undefined) {
      const { owner, key, fingerprint, expiresAt } = idempotency;
      insertRecord.run(owner, key, fingerprint, petJson(pet), expiresAt);
    }
    return { kind: 'created' };
  }

  function replay(pet: Pet, idempotency: Idempotency, now: number): CreateResult | undefined {
    if (idempotency.renewable) {
      const id = lines.repeat(idempotency, now);
      // If it has been removed, the one that was given is the same: the key identifies it.
      return id === undefined ? undefined : { kind: 'replayed', pet: selectPet(id) ?? { ...pet, id } };
    }
    const { owner, key, fingerprint } = idempotency;
    const record = selectRecord.one(owner, key, now);
    if (record === undefined) return undefined;
    return record.fingerprint === fingerprint ? { kind: 'replayed', pet: storedPet(record.pet) } : { kind: 'key_reused' };
  }

  const createTogether = (creations: readonly { creation: Creation; now: number }[]): Promise<readonly CreateResult[]> =>
    transaction(database, () => {
      const results = creations.map(({ creation, now }) => create(creation, now));
      const now = creations.at(-1)?.now;
      if (now !== undefined) clearExpired.run(now, CLEAR_AT_ONCE);
      return results;
    });
  const createOne = batched(createTogether);

  return {
    create: (creation, now) => createOne({ creation, now }),
    createAll: (creations, now) => createTogether(creations.map((creation) => ({ creation, now }))),
    get: async (id) => guarded(() => selectPet(id)),
    list: async ({ after, status, limit }) => {
      const found = guarded(() => (status === undefined ? list.all(after, limit) : listByStatus.all(status, after, limit)));
      return found.map(toPet);
    },
    remove: async (id) => (await transaction(database, () => remove.run(id))).changes > 0,
  };
}

function toPet(row: PetRow): Pet {
  return petFromStored(Number(row[0]), (_, index) => row[index + 1]);
}

/** Parses an animal stored by petJson. */
function storedPet(text: string): Pet {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new StoreFault('corrupt', `an idempotency record contains no valid animal: ${parsed.problem}`);
  const stored = parsed.value as Record<string, bigint | string>;
  return petFromStored(Number(stored.id), ({ name }) => stored[name]);
}
