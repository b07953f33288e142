// What an ACME client must persist: its account key, orders in progress, and the responses to challenges.

import type { DatabaseSync } from 'node:sqlite';
import { prepareSelect } from '../store/sqlite/select.ts';
import { guarded } from '../store/sqlite/transaction.ts';

export interface StoredOrder {
  readonly reference: string;
  readonly host: string;
  /** The private key for the future certificate, PEM. */
  readonly privateKey: string;
  /** The order's URL at the authority; undefined until the order has been created. */
  readonly url: string | undefined;
}

type OrderRow = Omit<StoredOrder, 'url'> & { readonly url: string | null };

export interface AcmeOrders {
  /** The account key for this directory, PEM; undefined if there is none yet. */
  accountKey(directory: string): string | undefined;
  /** Stores an account key unless the directory already has one. @returns the stored key */
  keepAccountKey(directory: string, pem: string): string;
  get(reference: string): StoredOrder | undefined;
  keep(order: StoredOrder): void;
  /** @param fields.url undefined: the order's next step creates it anew */
  update(reference: string, fields: { readonly url: string | undefined }): void;
  forget(reference: string): void;
  /** Deletes all orders whose references start with the prefix, except one. */
  deleteAll(prefix: string, except: string | undefined): void;
  /** Records that an order failed. @param order.reference its URL, if it has one; repeated calls with the same one count once */
  recordFailure(order: Pick<StoredOrder, 'reference' | 'host'>, now: number): void;
  /** When orders for a host failed after this time, in milliseconds since 1970, oldest first. */
  failuresSince(host: string, since: number): readonly number[];
  keepChallenge(host: string, token: string, answer: string): void;
  /** The response to a challenge for this host; undefined if there is none. */
  challenge(host: string, token: string): string | undefined;
}

/** Creates the ACME storage in SQLite. */
export function createSqliteAcmeOrders(database: DatabaseSync): AcmeOrders {
  const selectKey = prepareSelect<{ private_key: string }>(database, 'SELECT private_key FROM acme_accounts WHERE directory = ?');
  const insertKey = database.prepare('INSERT INTO acme_accounts (directory, private_key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const select = prepareSelect<OrderRow>(database, 'SELECT reference, host, private_key AS privateKey, url FROM acme_orders WHERE reference = ?');
  const insert = database.prepare('INSERT INTO acme_orders (reference, host, private_key, url) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const update = database.prepare('UPDATE acme_orders SET url = ? WHERE reference = ?');
  const removeChallenges = database.prepare('DELETE FROM acme_challenges WHERE host = (SELECT host FROM acme_orders WHERE reference = ?)');
  const remove = database.prepare('DELETE FROM acme_orders WHERE reference = ?');
  const selectReferences = prepareSelect<{ reference: string }>(
    database,
    'SELECT reference FROM acme_orders WHERE substr(reference, 1, length(?1)) = ?1 AND reference IS NOT ?2',
  );
  const insertFailure = database.prepare('INSERT INTO acme_failures (reference, host, failed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const selectFailures = prepareSelect<{ failed_at: number }>(
    database,
    'SELECT failed_at FROM acme_failures WHERE host = ? AND failed_at > ? ORDER BY failed_at',
  );
  const forget = (reference: string) =>
    guarded(() => {
      removeChallenges.run(reference);
      remove.run(reference);
    });
  const insertChallenge = database.prepare('INSERT OR REPLACE INTO acme_challenges (host, token, answer) VALUES (?, ?, ?)');
  const selectChallenge = prepareSelect<{ answer: string }>(database, 'SELECT answer FROM acme_challenges WHERE host = ? AND token = ?');
  const accountKey = (directory: string) => guarded(() => selectKey.one(directory)?.private_key);
  return {
    accountKey,
    keepAccountKey: (directory, pem) => {
      guarded(() => insertKey.run(directory, pem));
      return accountKey(directory) ?? pem;
    },
    get: (reference) =>
      guarded(() => {
        const row = select.one(reference);
        return row && { ...row, url: row.url ?? undefined };
      }),
    keep: ({ reference, host, privateKey, url }) => guarded(() => void insert.run(reference, host, privateKey, url ?? null)),
    update: (reference, { url }) => guarded(() => void update.run(url ?? null, reference)),
    forget,
    deleteAll: (prefix, except) => guarded(() => selectReferences.all(prefix, except ?? null)).forEach(({ reference }) => void forget(reference)),
    recordFailure: ({ reference, host }, now) => guarded(() => void insertFailure.run(reference, host, now)),
    failuresSince: (host, since) => guarded(() => selectFailures.all(host, since).map(({ failed_at }) => failed_at)),
    keepChallenge: (host, token, answer) => guarded(() => void insertChallenge.run(host, token, answer)),
    challenge: (host, token) => guarded(() => selectChallenge.one(host, token)?.answer),
  };
}
