// What users see as their sessions: the grants of the OpenID provider. A browser's session with the provider has a grant for the dashboard and one
// for the command line, whose tokens are renewed only while that session lasts.

import type { Session } from 'petstore-platform';
import { DASHBOARD, digestOf, type ProviderSessions, type SignInRecord, sessionEnded, userChanged } from 'petstore-platform/stores';
import { type Connection, type Database, durably, lock, type Statement, type Transaction } from './database.ts';
import type { Log } from './log.ts';

/** How long ended sessions are remembered, in milliseconds: longer than a session and its access tokens can last. */
const REMEMBERED_MS = 13 * 3_600_000;
/** Maximum number of ended sessions that are forgotten when another one ends. */
const CLEAR_AT_ONCE = 100;

interface GrantRow {
  readonly id: string;
  readonly payload: string;
  readonly agent: string | null;
  readonly used_at: bigint | null;
}

type SignInRow = Record<'action' | 'agent', string> & Record<'method' | 'address', string | null> & Record<'at' | 'count', bigint>;

/** A browser's session with the provider. */
interface BrowserSession {
  readonly id: string;
  /** Digests of its grants, by client. */
  readonly grants: Readonly<Record<string, string>>;
}

const GRANTS: Statement = {
  text: "SELECT id, payload, agent, used_at FROM oidc WHERE model = 'Grant' AND user_id = $1 AND expires_at > $2 ORDER BY id",
};
const BROWSERS: Statement = { text: "SELECT id, payload FROM oidc WHERE model = 'Session' AND user_id = $1" };
const TOKEN_GRANTS: Statement = { text: 'SELECT DISTINCT grant_id FROM oidc WHERE user_id = $1 AND grant_id IS NOT NULL' };
const USER_OF_GRANT: Statement = { text: "SELECT user_id FROM oidc WHERE model = 'Grant' AND id = $1 AND user_id IS NOT NULL" };
const SIGN_INS: Statement = {
  text: `SELECT at, action, actor::jsonb ->> 'address' AS address, details::jsonb ->> 'method' AS method, details::jsonb ->> 'agent' AS agent,
      coalesce((details::jsonb ->> 'count')::bigint, 1) AS count
    FROM audit WHERE subject = $1 AND action LIKE 'sign\\_in.%'
      AND id > (SELECT coalesce(max(id), '') FROM audit WHERE account_id = $2 AND subject = $1 AND action = 'member.added')
    ORDER BY id DESC LIMIT $3`,
};
const IS_ENDED: Statement = { name: 'session_ended', text: 'SELECT FROM ended_sessions WHERE id = $1' };
const REMEMBER: Statement = {
  text: 'INSERT INTO ended_sessions (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at',
};
const FORGET: Statement = {
  text: `DELETE FROM ended_sessions WHERE id IN (SELECT id FROM ended_sessions WHERE expires_at <= $1 LIMIT ${CLEAR_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
};
const REMOVE: Statement = { text: 'DELETE FROM oidc WHERE model = $1 AND id = $2' };
const REMOVE_TOKENS: Statement = { text: 'DELETE FROM oidc WHERE grant_id = $1' };

/** Creates the store on the provider's data. @param clock milliseconds since 1970 */
export function createSessionStore(database: Database, log: Log, clock: () => number): ProviderSessions {
  const grantsOf = (connection: Connection, userId: string) => connection.query<GrantRow>(GRANTS, [userId, clock()]);
  const isEnded = async (connection: Connection, id: string) => (await connection.query(IS_ENDED, [id])).length === 1;
  const browsersOf = async (connection: Connection, userId: string): Promise<readonly BrowserSession[]> =>
    (await connection.query<{ id: string; payload: string }>(BROWSERS, [userId])).map(({ id, payload }) => {
      const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Record<string, { grantId?: string }> };
      const grants = Object.entries(authorizations).flatMap(([client, { grantId }]) => (grantId === undefined ? [] : [[client, digestOf(grantId)]]));
      return { id, grants: Object.fromEntries(grants) };
    });
  const isIts =
    (sessionId: string) =>
    ({ grants }: BrowserSession): boolean =>
      Object.values(grants).includes(sessionId);
  /** A browser is signed out once its dashboard session has ended or, without one, once all its other sessions have. */
  const isOver = async ({ grants }: BrowserSession, isOut: (id: string) => Promise<boolean>): Promise<boolean> => {
    const own = grants[DASHBOARD];
    if (own !== undefined) return isOut(own);
    for (const id of Object.values(grants)) if (!(await isOut(id))) return false;
    return true;
  };
  const remember = (transaction: Transaction, id: string) => {
    transaction.send(FORGET, [clock()]);
    transaction.send(REMEMBER, [id, clock() + REMEMBERED_MS]);
    transaction.send(REMOVE, ['Grant', id]);
  };
  /** Ends sessions. They are remembered, so that later writes of requests in progress are refused. */
  async function end(transaction: Transaction, userId: string, ids: ReadonlySet<string>, browsers: readonly BrowserSession[]): Promise<void> {
    for (const id of ids) remember(transaction, id);
    for (const { grant_id } of await transaction.query<{ grant_id: string }>(TOKEN_GRANTS, [userId]))
      if (ids.has(digestOf(grant_id))) transaction.send(REMOVE_TOKENS, [grant_id]);
    for (const { id } of browsers) transaction.send(REMOVE, ['Session', id]);
  }
  /** Changes a user's sessions, one change at a time. */
  const changing = <T>(userId: string, work: (transaction: Transaction) => Promise<T>) =>
    durably(database, async (transaction) => {
      await lock(transaction, [`sessions ${userId}`]);
      return work(transaction);
    });

  return {
    listSessions: async (userId) => (await grantsOf(database, userId)).map(toSession).sort((a, b) => b.usedAt - a.usedAt),
    listSignIns: async (userId, limit, accountId) => (await database.query<SignInRow>(SIGN_INS, [userId, accountId ?? null, limit])).map(toSignIn),
    endSession: (userId, sessionId) =>
      changing(userId, async (transaction) => {
        if (!(await grantsOf(transaction, userId)).some(({ id }) => id === sessionId)) return false;
        const browsers: BrowserSession[] = [];
        const isOut = async (id: string) => id === sessionId || (await isEnded(transaction, id));
        for (const browser of (await browsersOf(transaction, userId)).filter(isIts(sessionId)))
          if (await isOver(browser, isOut)) browsers.push(browser);
        await end(transaction, userId, new Set([sessionId, ...browsers.flatMap(({ grants }) => Object.values(grants))]), browsers);
        log.record(transaction, sessionEnded(userId, sessionId));
        return true;
      }),
    endOtherSessions: (userId, sessionId) =>
      changing(userId, async (transaction) => {
        const browsers = await browsersOf(transaction, userId);
        const [here, others] = [browsers.filter(isIts(sessionId)), browsers.filter((browser) => !isIts(sessionId)(browser))];
        const kept = new Set([sessionId, ...here.flatMap(({ grants }) => grants[DASHBOARD] ?? [])]);
        const all = [...(await grantsOf(transaction, userId)).map(({ id }) => id), ...others.flatMap(({ grants }) => Object.values(grants))];
        await end(transaction, userId, new Set(all.filter((id) => !kept.has(id))), others);
        log.record(transaction, userChanged('sessions.ended', userId));
      }),
    isEnded: (sessionId) => isEnded(database, sessionId),
    endGrant: async (grantId) => {
      const id = digestOf(grantId);
      const [found] = await database.query<{ user_id: string }>(USER_OF_GRANT, [id]);
      await changing(found?.user_id ?? id, async (transaction) => {
        remember(transaction, id);
        transaction.send(REMOVE_TOKENS, [grantId]);
        if (found === undefined) return;
        log.record(transaction, sessionEnded(found.user_id, id));
        for (const browser of (await browsersOf(transaction, found.user_id)).filter(isIts(id)))
          if (await isOver(browser, (each) => isEnded(transaction, each))) transaction.send(REMOVE, ['Session', browser.id]);
      });
    },
  };
}

function toSession({ id, payload, agent, used_at }: GrantRow): Session {
  const { clientId, iat } = JSON.parse(payload) as { clientId: string; iat: number };
  const begunAt = iat * 1_000;
  const client = clientId === DASHBOARD ? 'dashboard' : 'command_line';
  return { id, client, agent: agent ?? undefined, begunAt, usedAt: used_at === null ? begunAt : Number(used_at) };
}

function toSignIn({ at, action, method, agent, address, count }: SignInRow): SignInRecord {
  return {
    at: Number(at),
    outcome: action.slice(action.indexOf('.') + 1) as SignInRecord['outcome'],
    method: (method ?? undefined) as SignInRecord['method'],
    agent,
    address: address ?? undefined,
    count: Number(count),
  };
}
