// Responses to retryable requests, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../../core/answers/ports.ts';
import { prepareSelect } from './database.ts';
import { transaction, written } from './transaction.ts';

/** Maximum number of expired responses that one claim deletes. */
const CLEAR_AT_ONCE = 10;

/** Creates the store of responses. */
export function createSqliteAnswerStore(database: DatabaseSync): AnswerStore {
  const select = prepareSelect<{ fingerprint: string; answer: string | null; claimed_until: number }>(
    database,
    'SELECT fingerprint, answer, claimed_until FROM answers WHERE id = ? AND expires_at > ?',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO answers (id, fingerprint, answer, claimed_until, expires_at) VALUES (?, ?, NULL, ?, ?)');
  const update = database.prepare('UPDATE answers SET answer = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM answers WHERE id = ? AND answer IS NULL');
  const clear = database.prepare('DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE expires_at <= ? LIMIT ?)');
  return {
    claim: (id, fingerprint, now) =>
      transaction(database, () => {
        clear.run(now, CLEAR_AT_ONCE);
        const known = select.one(id, now);
        if (known !== undefined && known.fingerprint !== fingerprint) return { kind: 'reused' };
        if (known?.answer) return { kind: 'answered', answer: known.answer };
        if (known !== undefined && known.claimed_until > now) return { kind: 'in_progress' };
        insert.run(id, fingerprint, now + CLAIM_MS, now + ANSWER_KEPT_MS);
        return { kind: 'claimed' };
      }),
    keep: (id, answer) => written(() => void update.run(answer, id)),
    release: (id) => written(() => void remove.run(id)),
  };
}
