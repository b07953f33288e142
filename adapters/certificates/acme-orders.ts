// What an ACME client must not forget: its account key, orders under way, and the answers to challenges.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface StoredOrder {
  readonly reference: string;
  readonly host: string;
  /** PEM, of the certificate to come. */
  readonly privateKey: string;
  /** Where the authority keeps the order; undefined until it has been made. */
  readonly url: string | undefined;
}

type OrderRow = Omit<StoredOrder, 'url'> & { readonly url: string | null };

export interface AcmeOrders {
  /** PEM; undefined if there is none for this directory yet. */
  accountKey(directory: string): string | undefined;
  /** Keeps the first one that is given. @returns the one that is kept */
  keepAccountKey(directory: string, pem: string): string;
  get(reference: string): StoredOrder | undefined;
  keep(order: StoredOrder): void;
  update(reference: string, fields: { readonly url: string }): void;
  forget(reference: string): void;
  /** Forgets those whose references begin so, but for one. */
  forgetAll(prefix: string, except: string | undefined): void;
  /** Notes that an order failed; once, however often it is said. */
  noteFailure(order: Pick<StoredOrder, 'reference' | 'host'>, now: number): void;
  /** Orders for a host that failed since then. */
  failuresSince(host: string, since: number): readonly number[];
  keepChallenge(host: string, token: string, answer: string): void;
  /** The answer to a challenge for this host; undefined if there is none. */
  challenge(host: string, token: string): string | undefined;
}

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
    update: (reference, { url }) => guarded(() => void update.run(url, reference)),
    forget,
    forgetAll: (prefix, except) => guarded(() => selectReferences.all(prefix, except ?? null)).forEach(({ reference }) => void forget(reference)),
    noteFailure: ({ reference, host }, now) => guarded(() => void insertFailure.run(reference, host, now)),
    failuresSince: (host, since) => guarded(() => selectFailures.all(host, since).map(({ failed_at }) => failed_at)),
    keepChallenge: (host, token, answer) => guarded(() => void insertChallenge.run(host, token, answer)),
    challenge: (host, token) => guarded(() => selectChallenge.one(host, token)?.answer),
  };
}
