// Animals, with the records that make creations safe to repeat. A process creates animals in batches, one batch at a time.

import type { CreateResult, PetStore } from 'petstore-platform';
import { batchedByKey } from './batch.ts';
import { type Asked, createRound, distinct } from './creations.ts';
import type { Database, Statement } from './database.ts';
import { type PetRow, SELECT, toPet } from './pet-rows.ts';

/** Maximum number of animals in a transaction. */
const BATCH = 500;
/** Maximum number of expired idempotency records deleted at once, and how often, in milliseconds: faster than a database creates them. */
const CLEARED = 5_000;
const CLEAR_EVERY_MS = 1_000;

const GET: Statement = { name: 'pet', text: `${SELECT} WHERE id = $1` };
const LIST: Statement = { name: 'pets', text: `${SELECT} WHERE id > $1 ORDER BY id LIMIT $2` };
const LIST_BY_STATUS: Statement = { name: 'pets_by_status', text: `${SELECT} WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3` };
const REMOVE: Statement = { text: 'DELETE FROM pets WHERE id = $1 RETURNING id' };
const CLEAR: Statement = {
  text: `DELETE FROM idempotency WHERE (owner, key) IN
    (SELECT owner, key FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${CLEARED} FOR UPDATE SKIP LOCKED)`,
};

/** Creates the pet store. Concurrent creations share a commit, which waits for the disk. */
export function createPetStore(database: Database): PetStore {
  let clearedAt = 0;

  /** Creates animals together. Those that have a key or an id in common with an earlier one follow in another transaction. */
  async function createTogether(asked: readonly Asked[]): Promise<readonly CreateResult[]> {
    const results = new Map<Asked, CreateResult>();
    for (let left = asked; left.length > 0; ) {
      const round = distinct(left).slice(0, BATCH);
      for (const [each, result] of await database.transaction({ durable: true }, (transaction) => createRound(transaction, round))) {
        results.set(each, result);
      }
      left = left.filter((each) => !results.has(each));
    }
    await clearExpired(asked);
    return asked.map((each) => results.get(each) as CreateResult);
  }

  /** Deletes expired records. No creation fails because of this: what is left is deleted later. */
  async function clearExpired(asked: readonly Asked[]): Promise<void> {
    const now = asked.findLast(({ creation }) => creation.idempotency !== undefined)?.now;
    if (now === undefined || Math.abs(now - clearedAt) < CLEAR_EVERY_MS) return;
    clearedAt = now;
    await database.query(CLEAR, [now]).catch(() => {});
  }

  const createOne = batchedByKey<Asked, CreateResult>(
    () => 'creations',
    (_key, asked) => createTogether(asked),
    { limit: BATCH },
  );

  return {
    create: (creation, now) => createOne({ creation, now }),
    createAll: (creations, now) => createTogether(creations.map((creation) => ({ creation, now }))),
    get: async (id) => (await database.query<PetRow>(GET, [id])).map(toPet)[0],
    list: async ({ after, status, limit }) => {
      const rows =
        status === undefined
          ? await database.query<PetRow>(LIST, [after, limit])
          : await database.query<PetRow>(LIST_BY_STATUS, [status, after, limit]);
      return rows.map(toPet);
    },
    remove: async (id) => {
      const removed = await database.transaction({ durable: true }, (transaction) => transaction.query<PetRow>(REMOVE, [id]));
      return removed.length > 0;
    },
  };
}
