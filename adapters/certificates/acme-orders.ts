// What an ACME client must persist: its account, orders in progress, and the responses to challenges.

import type { DatabaseSync } from 'node:sqlite';
import type { AttemptFailure } from '../../core/domains/domain.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded } from '../store/sqlite/transaction.ts';

export interface StoredOrder {
  readonly reference: string;
  readonly host: string;
  /** The private key for the future certificate, PEM. */
  readonly privateKey: string;
  /** The order's URL at the authority; undefined until the order has been created. */
  readonly url: string | undefined;
  /** The reference of the certificate that it replaces. */
  readonly replaces: string | undefined;
  /** Why it failed; undefined while it is in progress. */
  readonly failure: AttemptFailure | undefined;
}

/** An account with an authority. */
export interface StoredAccount {
  /** PEM. */
  readonly privateKey: string;
  /** Undefined until it is registered. */
  readonly url: string | undefined;
  /** Until when the authority wants no new orders, in milliseconds since 1970. */
  readonly pausedUntil: number | undefined;
  /** Why the authority refuses it; undefined while it does not. */
  readonly refused: string | undefined;
}

interface OrderRow {
  readonly reference: string;
  readonly host: string;
  readonly private_key: string;
  readonly url: string | null;
  readonly replaces: string | null;
  readonly failure: string | null;
}

export interface AcmeOrders {
  /** The account with this directory; undefined if there is none yet. */
  account(directory: string): StoredAccount | undefined;
  /** Stores an account unless the directory already has one. @returns the stored one */
  addAccount(directory: string, privateKey: string): StoredAccount;
  /** Changes the account with this directory; what is not given stays. */
  updateAccount(directory: string, change: Partial<StoredAccount>): void;
  get(reference: string): StoredOrder | undefined;
  keep(order: StoredOrder): void;
  /** Changes an order; what is not given stays. */
  update(reference: string, change: Partial<Pick<StoredOrder, 'url' | 'failure' | 'privateKey'>>): void;
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
  /** All responses for this host. */
  answersOf(host: string): readonly string[];
}

/** Creates the ACME storage in SQLite. */
export function createSqliteAcmeOrders(database: DatabaseSync): AcmeOrders {
  const selectAccount = prepareSelect<{ private_key: string; url: string | null; paused_until: number | null; refused: string | null }>(
    database,
    'SELECT private_key, url, paused_until, refused FROM acme_accounts WHERE directory = ?',
  );
  const insertAccount = database.prepare('INSERT INTO acme_accounts (directory, private_key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const updateAccount = database.prepare('UPDATE acme_accounts SET private_key = ?, url = ?, paused_until = ?, refused = ? WHERE directory = ?');
  const select = prepareSelect<OrderRow>(database, 'SELECT * FROM acme_orders WHERE reference = ?');
  const insert = database.prepare(
    'INSERT INTO acme_orders (reference, host, private_key, url, replaces) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare('UPDATE acme_orders SET url = ?, failure = ?, private_key = ? WHERE reference = ?');
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
  const insertChallenge = database.prepare('INSERT OR REPLACE INTO acme_challenges (host, token, answer) VALUES (?, ?, ?)');
  const selectChallenge = prepareSelect<{ answer: string }>(database, 'SELECT answer FROM acme_challenges WHERE host = ? AND token = ?');

  const selectAnswers = prepareSelect<{ answer: string }>(database, 'SELECT answer FROM acme_challenges WHERE host = ?');

  const account = (directory: string): StoredAccount | undefined =>
    guarded(() => {
      const row = selectAccount.one(directory);
      return (
        row && {
          privateKey: row.private_key,
          url: row.url ?? undefined,
          pausedUntil: row.paused_until ?? undefined,
          refused: row.refused ?? undefined,
        }
      );
    });
  const get = (reference: string): StoredOrder | undefined =>
    guarded(() => {
      const row = select.one(reference);
      if (row === undefined) return undefined;
      const { host, private_key: privateKey, url, replaces, failure } = row;
      return {
        reference,
        host,
        privateKey,
        url: url ?? undefined,
        replaces: replaces ?? undefined,
        failure: failure === null ? undefined : (JSON.parse(failure) as AttemptFailure),
      };
    });
  const forget = (reference: string) =>
    guarded(() => {
      removeChallenges.run(reference);
      remove.run(reference);
    });
  return {
    account,
    addAccount: (directory, privateKey) => {
      guarded(() => insertAccount.run(directory, privateKey));
      return account(directory) ?? { privateKey, url: undefined, pausedUntil: undefined, refused: undefined };
    },
    updateAccount: (directory, change) => {
      const present = account(directory);
      if (present === undefined) return;
      const { privateKey, url, pausedUntil, refused } = { ...present, ...change };
      guarded(() => updateAccount.run(privateKey, url ?? null, pausedUntil ?? null, refused ?? null, directory));
    },
    get,
    keep: ({ reference, host, privateKey, url, replaces }) =>
      guarded(() => void insert.run(reference, host, privateKey, url ?? null, replaces ?? null)),
    update: (reference, change) => {
      const present = get(reference);
      if (present === undefined) return;
      const { url, failure, privateKey } = { ...present, ...change };
      guarded(() => update.run(url ?? null, failure === undefined ? null : JSON.stringify(failure), privateKey, reference));
    },
    forget,
    deleteAll: (prefix, except) => guarded(() => selectReferences.all(prefix, except ?? null)).forEach(({ reference }) => void forget(reference)),
    recordFailure: ({ reference, host }, now) => guarded(() => void insertFailure.run(reference, host, now)),
    failuresSince: (host, since) => guarded(() => selectFailures.all(host, since).map(({ failed_at }) => failed_at)),
    keepChallenge: (host, token, answer) => guarded(() => void insertChallenge.run(host, token, answer)),
    challenge: (host, token) => guarded(() => selectChallenge.one(host, token)?.answer),
    answersOf: (host) => guarded(() => selectAnswers.all(host).map(({ answer }) => answer)),
  };
}
