// The control API's answers to requests with an idempotency id.

import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from 'petstore-platform';
import type { Database, Statement } from './database.ts';

/** Maximum number of expired answers that one claim deletes. */
const CLEARED = 10;

/** Takes the id if it is free: unknown, expired, or claimed too long ago for the same request. */
const CLAIM: Statement = {
  text: `WITH cleared AS (DELETE FROM answers WHERE id IN
      (SELECT id FROM answers WHERE expires_at <= $3 AND id <> $1 ORDER BY expires_at LIMIT ${CLEARED} FOR UPDATE SKIP LOCKED))
    INSERT INTO answers AS known (id, fingerprint, answer, claimed_until, expires_at) VALUES ($1, $2, NULL, $4, $5)
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, answer = NULL, claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
    WHERE known.expires_at <= $3 OR (known.fingerprint = excluded.fingerprint AND known.answer IS NULL AND known.claimed_until <= $3)
    RETURNING id`,
};
const GET: Statement = { text: 'SELECT fingerprint, answer FROM answers WHERE id = $1' };
const KEEP: Statement = { text: 'UPDATE answers SET answer = $2 WHERE id = $1' };
const RELEASE: Statement = { text: 'DELETE FROM answers WHERE id = $1 AND answer IS NULL' };

/** Creates the answer store. */
export function createAnswerStore(database: Database): AnswerStore {
  return {
    claim: async (id, fingerprint, now) => {
      const claimed = await database.query(CLAIM, [id, fingerprint, now, now + CLAIM_MS, now + ANSWER_KEPT_MS]);
      if (claimed.length === 1) return { kind: 'claimed' };
      const [known] = await database.query<{ fingerprint: string; answer: string | null }>(GET, [id]);
      // The claim that was there a moment ago has been released since, so the next attempt can take the id.
      if (known === undefined) return { kind: 'in_progress' };
      if (known.fingerprint !== fingerprint) return { kind: 'reused' };
      return known.answer === null ? { kind: 'in_progress' } : { kind: 'answered', answer: known.answer };
    },
    keep: async (id, answer) => void (await database.query(KEEP, [id, answer])),
    release: async (id) => void (await database.query(RELEASE, [id])),
  };
}
