// What an ACME client must persist: its account, orders in progress, and the answers to challenges, which any host may have to give.

import type { AcmeOrders, AttemptFailure, StoredAccount, StoredOrder } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import type { Leases } from './leases.ts';

interface AccountRow {
  readonly private_key: string;
  readonly url: string | null;
  readonly paused_until: bigint | null;
  readonly refused: string | null;
}

interface OrderRow {
  readonly reference: string;
  readonly host: string;
  readonly private_key: string;
  readonly url: string | null;
  readonly replaces: string | null;
  readonly failure: string | null;
}

const ACCOUNT: Statement = { text: 'SELECT private_key, url, paused_until, refused FROM acme_accounts WHERE directory = $1' };
const ACCOUNT_LOCKED: Statement = { text: `${ACCOUNT.text} FOR UPDATE` };
const ADD_ACCOUNT: Statement = { text: 'INSERT INTO acme_accounts (directory, private_key) VALUES ($1, $2) ON CONFLICT DO NOTHING' };
const SET_ACCOUNT: Statement = { text: 'UPDATE acme_accounts SET private_key = $2, url = $3, paused_until = $4, refused = $5 WHERE directory = $1' };
const GET: Statement = { text: 'SELECT * FROM acme_orders WHERE reference = $1' };
const GET_LOCKED: Statement = { text: `${GET.text} FOR UPDATE` };
const KEEP: Statement = {
  text: 'INSERT INTO acme_orders (reference, host, private_key, url, replaces) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
};
const SET: Statement = { text: 'UPDATE acme_orders SET url = $2, failure = $3, private_key = $4 WHERE reference = $1' };
const FORGET: Statement = {
  text: `WITH gone AS (DELETE FROM acme_orders WHERE reference = $1 RETURNING host), lease AS (DELETE FROM leases WHERE name = 'order ' || $1)
    DELETE FROM acme_challenges WHERE host IN (SELECT host FROM gone)`,
};
const REFERENCES: Statement = { text: 'SELECT reference FROM acme_orders WHERE starts_with(reference, $1) AND reference IS DISTINCT FROM $2::text' };
const FAILED: Statement = { text: 'INSERT INTO acme_failures (reference, host, failed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING' };
const FAILURES: Statement = { text: 'SELECT failed_at FROM acme_failures WHERE host = $1 AND failed_at > $2 ORDER BY failed_at' };
const KEEP_CHALLENGE: Statement = {
  text: 'INSERT INTO acme_challenges (host, token, answer) VALUES ($1, $2, $3) ON CONFLICT (host, token) DO UPDATE SET answer = excluded.answer',
};
const CHALLENGE: Statement = { text: 'SELECT answer FROM acme_challenges WHERE host = $1 AND token = $2' };
const ANSWERS: Statement = { text: 'SELECT answer FROM acme_challenges WHERE host = $1' };

/** Creates the store. */
export function createAcmeOrders(database: Database, leases: Leases): AcmeOrders {
  const account = async (directory: string) => (await database.query<AccountRow>(ACCOUNT, [directory])).map(toAccount)[0];
  const forget = async (reference: string) => void (await database.query(FORGET, [reference]));
  return {
    account,
    addAccount: async (directory, privateKey) => {
      await database.query(ADD_ACCOUNT, [directory, privateKey]);
      return (await account(directory)) ?? { privateKey, url: undefined, pausedUntil: undefined, refused: undefined };
    },
    updateAccount: (directory, change) =>
      durably(database, async (transaction) => {
        const [row] = await transaction.query<AccountRow>(ACCOUNT_LOCKED, [directory]);
        if (row === undefined) return;
        const { privateKey, url, pausedUntil, refused } = { ...toAccount(row), ...change };
        transaction.send(SET_ACCOUNT, [directory, privateKey, url ?? null, pausedUntil ?? null, refused ?? null]);
      }),
    get: async (reference) => (await database.query<OrderRow>(GET, [reference])).map(toOrder)[0],
    keep: async ({ reference, host, privateKey, url, replaces }) =>
      void (await database.query(KEEP, [reference, host, privateKey, url ?? null, replaces ?? null])),
    claim: (reference) => leases.claim('order', reference),
    release: (reference) => leases.release('order', reference),
    update: (reference, change) =>
      durably(database, async (transaction) => {
        const [row] = await transaction.query<OrderRow>(GET_LOCKED, [reference]);
        if (row === undefined) return;
        const { url, failure, privateKey } = { ...toOrder(row), ...change };
        transaction.send(SET, [reference, url ?? null, failure === undefined ? null : JSON.stringify(failure), privateKey]);
      }),
    forget,
    deleteAll: async (prefix, except) => {
      for (const { reference } of await database.query<{ reference: string }>(REFERENCES, [prefix, except ?? null])) await forget(reference);
    },
    recordFailure: async ({ reference, host }, now) => void (await database.query(FAILED, [reference, host, now])),
    failuresSince: async (host, since) =>
      (await database.query<{ failed_at: bigint }>(FAILURES, [host, since])).map(({ failed_at }) => Number(failed_at)),
    keepChallenge: async (host, token, answer) => void (await database.query(KEEP_CHALLENGE, [host, token, answer])),
    challenge: async (host, token) => (await database.query<{ answer: string }>(CHALLENGE, [host, token]))[0]?.answer,
    answersOf: async (host) => (await database.query<{ answer: string }>(ANSWERS, [host])).map(({ answer }) => answer),
  };
}

function toAccount({ private_key, url, paused_until, refused }: AccountRow): StoredAccount {
  return {
    privateKey: private_key,
    url: url ?? undefined,
    pausedUntil: paused_until === null ? undefined : Number(paused_until),
    refused: refused ?? undefined,
  };
}

function toOrder({ reference, host, private_key, url, replaces, failure }: OrderRow): StoredOrder {
  return {
    reference,
    host,
    privateKey: private_key,
    url: url ?? undefined,
    replaces: replaces ?? undefined,
    failure: failure === null ? undefined : (JSON.parse(failure) as AttemptFailure),
  };
}
