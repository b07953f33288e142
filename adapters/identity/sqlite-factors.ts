// Users' passkeys, authenticator apps and recovery codes, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { userChanged } from '../../core/audit/changes.ts';
import { type FactorStore, MOST_PASSKEYS, type Passkey } from '../../core/identity/factors.ts';
import type { Immediate } from '../../core/ports.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { asProperties, prepareSelect, type RowOf, withoutNull } from '../store/sqlite/database.ts';
import { changed, guarded, transaction } from '../store/sqlite/transaction.ts';

type PasskeyRow = Omit<RowOf<Passkey>, 'transports'> & { readonly transports: string };

const PASSKEY = asProperties('id, user_id, name, public_key, counter, transports, created_at, used_at');

/** Creates the store. */
export function createSqliteFactors(database: DatabaseSync, record: RecordChange = recordChanges(database)): Immediate<FactorStore> {
  const selectPasskeys = prepareSelect(database, `SELECT ${PASSKEY} FROM passkeys WHERE user_id = ? ORDER BY created_at, id`, toPasskey);
  const selectPasskey = prepareSelect(database, `SELECT ${PASSKEY} FROM passkeys WHERE id = ?`, toPasskey);
  const insertPasskey = database.prepare(
    `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE (SELECT count(*) FROM passkeys WHERE user_id = ?2) < ${MOST_PASSKEYS} ON CONFLICT DO NOTHING`,
  );
  // Authenticators without a signature counter send 0 (Web Authentication Level 3, section 7.2, step 22).
  const usePasskey = database.prepare(
    'UPDATE passkeys SET counter = ?2, used_at = ?3 WHERE id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0)) RETURNING user_id',
  );
  const removePasskey = database.prepare('DELETE FROM passkeys WHERE user_id = ? AND id = ?');
  const selectTotp = prepareSelect<{ secret: Uint8Array }>(database, 'SELECT secret FROM totp WHERE user_id = ?');
  const setTotp = database.prepare('INSERT OR REPLACE INTO totp (user_id, secret, step) VALUES (?, ?, ?)');
  const useTotp = database.prepare('UPDATE totp SET step = ?2 WHERE user_id = ?1 AND step < ?2');
  const removeTotp = database.prepare('DELETE FROM totp WHERE user_id = ?');
  const countCodes = prepareSelect<{ left: number }>(database, 'SELECT count(*) AS left FROM recovery_codes WHERE user_id = ?');
  const addCode = database.prepare('INSERT INTO recovery_codes (user_id, digest) VALUES (?, ?)');
  const useCode = database.prepare('DELETE FROM recovery_codes WHERE user_id = ? AND digest = ?');
  const removeCodes = database.prepare('DELETE FROM recovery_codes WHERE user_id = ?');
  const removeCodesWithoutFactor = database.prepare(
    `DELETE FROM recovery_codes WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?1)
     AND NOT EXISTS (SELECT 1 FROM totp WHERE user_id = ?1)`,
  );
  const removePasskeys = database.prepare('DELETE FROM passkeys WHERE user_id = ?');

  return {
    factorsOf: (userId) =>
      guarded(() => ({
        passkeys: selectPasskeys.all(userId),
        totp: selectTotp.one(userId)?.secret,
        recoveryCodes: countCodes.one(userId)?.left ?? 0,
      })),
    passkey: (id) => guarded(() => selectPasskey.one(id)),
    addPasskey: ({ id, userId, name, publicKey, counter, transports, createdAt }) =>
      changed(
        database,
        () => insertPasskey.run(id, userId, name, publicKey, counter, transports.join(' '), createdAt),
        () => record(userChanged('user.passkey_added', userId)),
      ),
    usePasskey: (id, counter, now) => transaction(database, () => usePasskey.all(id, counter, now).length === 1),
    removePasskey: (userId, id) =>
      changed(
        database,
        () => removePasskey.run(userId, id),
        () => {
          removeCodesWithoutFactor.run(userId);
          record(userChanged('user.passkey_removed', userId));
        },
      ),
    setTotp: (userId, secret, step) =>
      transaction(database, () => {
        setTotp.run(userId, secret, step);
        record(userChanged('user.totp_set', userId));
      }),
    useTotp: (userId, step) => transaction(database, () => useTotp.run(userId, step).changes === 1),
    removeTotp: (userId) =>
      transaction(database, () => {
        if (removeTotp.run(userId).changes !== 1) return;
        removeCodesWithoutFactor.run(userId);
        record(userChanged('user.totp_removed', userId));
      }),
    setRecoveryCodes: (userId, digests) =>
      transaction(database, () => {
        removeCodes.run(userId);
        for (const digest of digests) addCode.run(userId, digest);
        record(userChanged('user.recovery_codes_set', userId));
      }),
    useRecoveryCode: (userId, digest) =>
      changed(
        database,
        () => useCode.run(userId, digest),
        () => record(userChanged('user.recovery_code_used', userId)),
      ),
    removeAll: (userId) =>
      transaction(database, () => {
        const removed = [removePasskeys, removeTotp, removeCodes].map((statement) => Number(statement.run(userId).changes));
        if (removed.every((count) => count === 0)) return false;
        record(userChanged('user.factors_removed', userId));
        return true;
      }),
  };
}

function toPasskey({ transports, ...row }: PasskeyRow): Passkey {
  return { ...withoutNull<Omit<Passkey, 'transports'>>(row), transports: transports === '' ? [] : transports.split(' ') };
}
