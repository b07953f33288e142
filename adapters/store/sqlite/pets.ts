// Animals in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { type FieldValue, PET_FIELD_LIST } from '../../../core/pets/fields.ts';
import { type Pet, petFromJson, petFromStored, petJson } from '../../../core/pets/pet.ts';
import type { CreateResult, Creation, Idempotency, PetStore } from '../../../core/pets/ports.ts';
import { prepareSelect } from './database.ts';
import { batched, guarded, transaction } from './transaction.ts';

/** A row of `pets` as an array, with integers as bigints, at half the cost of objects. The id comes first, then the fields in their order. */
type PetRow = [id: bigint, ...fields: (FieldValue | null)[]];

/** Maximum number of expired idempotency records that one batch of creations deletes. */
const CLEAR_AT_ONCE = 100;

const COLUMNS = ['id', ...PET_FIELD_LIST.map(({ column }) => column)];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM pets`;
export const LIST_SQL = `${SELECT} WHERE id > ? ORDER BY id LIMIT ?`;
/** Reads only the index `pets_by_status`, which covers all columns (docs/worked-examples/field.md). */
export const LIST_BY_STATUS_SQL = `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;
const INSERT_SQL = `INSERT INTO pets (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;

/** Creates the pet store. Concurrent creations share a commit. */
export function createSqlitePetStore(database: DatabaseSync): PetStore {
  const rows = (sql: string) => prepareSelect(database, sql, toPet, 'arrays');
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

  function create({ pet, idempotency }: Creation, now: number): CreateResult {
    const earlier = idempotency && replay(pet, idempotency, now);
    if (earlier !== undefined) return earlier;
    const { changes } = insert.run(pet.id, ...PET_FIELD_LIST.map(({ name }) => pet[name]));
    if (changes === 0) return { kind: 'id_taken', holder: select.one(pet.id) as Pet };
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
      // If the animal has been removed, the given animal has the same fields, because the key identifies them.
      return id === undefined ? undefined : { kind: 'replayed', pet: select.one(id) ?? { ...pet, id } };
    }
    const { owner, key, fingerprint } = idempotency;
    const record = selectRecord.one(owner, key, now);
    if (record === undefined) return undefined;
    return record.fingerprint === fingerprint ? { kind: 'replayed', pet: petFromJson(record.pet) } : { kind: 'key_reused' };
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
    get: async (id) => guarded(() => select.one(id)),
    list: async ({ after, status, limit }) => guarded(() => (status === undefined ? list.all(after, limit) : listByStatus.all(status, after, limit))),
    remove: async (id) => (await transaction(database, () => remove.run(id))).changes > 0,
  };
}

function toPet(row: PetRow): Pet {
  return petFromStored(Number(row[0]), (_, index) => row[index + 1]);
}

// Renewable idempotency records in SQLite, used by imports. They are by far the most numerous, so a row has only the key and the animal's id. Animals
// never change, so the id is enough to repeat the answer. An owner's records expire together, so repeating a million lines writes one row.

/** Creates the storage, to be called within a transaction. */
function createSqliteImportedLines(database: DatabaseSync) {
  // An expired source may have rows left, which the sweep deletes, so the source starts again with another id.
  const selectSource = prepareSelect<{ id: number; expires_at: number }>(
    database,
    'SELECT id, expires_at FROM import_sources WHERE name = ? AND expires_at > ?',
  );
  const insertSource = database.prepare('INSERT INTO import_sources (name, expires_at) VALUES (?, ?) RETURNING id');
  const renewSource = database.prepare('UPDATE import_sources SET expires_at = ? WHERE id = ?');
  const select = prepareSelect<{ pet_id: number }>(database, 'SELECT pet_id FROM imported_lines WHERE source_id = ? AND line = ?');
  const insert = database.prepare('INSERT INTO imported_lines (source_id, line, pet_id) VALUES (?, ?, ?)');
  return {
    /** Returns the id of the animal that was created with the record, and postpones the expiry of the owner's records; undefined without a record. */
    repeat: ({ owner, key, expiresAt }: Idempotency, now: number): number | undefined => {
      const source = selectSource.one(owner, now);
      const line = source && select.one(source.id, key);
      if (source !== undefined && line !== undefined && source.expires_at !== expiresAt) renewSource.run(expiresAt, source.id);
      return line?.pet_id;
    },
    /** Adds a record that does not exist. */
    add: ({ owner, key, expiresAt }: Idempotency, petId: number, now: number): void => {
      const source = selectSource.one(owner, now) ?? (insertSource.get(owner, expiresAt) as { id: number });
      insert.run(source.id, key, petId);
    },
  };
}
