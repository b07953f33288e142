// What users see as their sessions: the grants of the embedded OpenID provider. A browser's session with the provider has a grant for the dashboard
// and one for the command line, whose tokens are renewed only while that session lasts.

import type { DatabaseSync } from 'node:sqlite';
import { sessionEnded, userChanged } from '../../core/audit/changes.ts';
import type { ProviderSessions, Session, SignInRecord } from '../../core/identity/ports.ts';
import type { Immediate } from '../../core/ports.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction } from '../store/sqlite/transaction.ts';
import { digestOf } from './oidc-storage.ts';

/** How long ended sessions are remembered, in milliseconds: longer than a session and its access tokens can last. */
const REMEMBERED_MS = 13 * 3_600_000;

/** Maximum number of ended sessions deleted when another one ends. */
const CLEAR_AT_ONCE = 100;

interface GrantRow {
  id: string;
  payload: string;
  agent: string | null;
  used_at: number | null;
}

type SignInRow = Record<'action' | 'agent', string> & Record<'method' | 'address', string | null> & Record<'at' | 'count', number>;

/** A session of a browser with the provider. */
export interface BrowserSession {
  readonly id: string;
  /** Digests of its grants, by client. */
  readonly grants: Readonly<Record<string, string>>;
}

export type SqliteSessions = Immediate<ProviderSessions>;

export interface SqliteSessionOptions {
  /** The dashboard's client id. */
  readonly dashboard: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Adds an entry to the audit log within a transaction. @default as the service itself */
  readonly record?: RecordChange;
}

/** Creates the store on the provider's data. */
export function createSqliteSessions(
  database: DatabaseSync,
  { dashboard, clock, record = recordChanges(database) }: SqliteSessionOptions,
): SqliteSessions {
  const selectGrants = prepareSelect<GrantRow>(
    database,
    "SELECT id, payload, agent, used_at FROM oidc WHERE model = 'Grant' AND user_id = ? AND expires_at > ? ORDER BY id",
  );
  const selectBrowsers = prepareSelect<{ id: string; payload: string }>(
    database,
    "SELECT id, payload FROM oidc WHERE model = 'Session' AND user_id = ?",
  );
  const selectTokenGrants = prepareSelect<{ grant_id: string }>(
    database,
    'SELECT DISTINCT grant_id FROM oidc WHERE user_id = ? AND grant_id IS NOT NULL',
  );
  const selectUser = prepareSelect<{ user_id: string }>(
    database,
    "SELECT user_id FROM oidc WHERE model = 'Grant' AND id = ? AND user_id IS NOT NULL",
  );
  // SQLite uses the indexes on sign-ins and on members only for exactly these conditions.
  const selectSignIns = prepareSelect<SignInRow>(
    database,
    `SELECT at, action, actor ->> '$.address' AS address, details ->> '$.method' AS method, details ->> '$.agent' AS agent,
       coalesce(details ->> '$.count', 1) AS count
     FROM audit WHERE subject = ?1 AND action GLOB 'sign_in.*'
       AND id > (SELECT coalesce(max(id), '') FROM audit WHERE account_id = ?2 AND subject = ?1 AND action = 'member.added')
     ORDER BY id DESC LIMIT ?3`,
  );
  const selectEnded = prepareSelect<object>(database, 'SELECT 1 FROM ended_sessions WHERE id = ?');
  const remember = database.prepare('INSERT OR REPLACE INTO ended_sessions VALUES (?, ?)');
  const forget = database.prepare(
    `DELETE FROM ended_sessions WHERE id IN (SELECT id FROM ended_sessions WHERE expires_at <= ? LIMIT ${CLEAR_AT_ONCE})`,
  );
  const remove = database.prepare('DELETE FROM oidc WHERE model = ? AND id = ?');
  const removeTokens = database.prepare('DELETE FROM oidc WHERE grant_id = ?');
  const grantsOf = (userId: string) => selectGrants.all(userId, clock());
  const browsersOf = (userId: string): readonly BrowserSession[] =>
    selectBrowsers.all(userId).map(({ id, payload }) => {
      const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Record<string, { grantId?: string }> };
      const grants = Object.entries(authorizations).flatMap(([client, { grantId }]) => (grantId === undefined ? [] : [[client, digestOf(grantId)]]));
      return { id, grants: Object.fromEntries(grants) };
    });

  /** Must be called within a transaction. A request in progress can't store anything afterwards, because the session is remembered as ended. */
  function end(userId: string, ids: ReadonlySet<string>, browsers: readonly BrowserSession[]): void {
    forget.run(clock());
    for (const id of ids) {
      remember.run(id, clock() + REMEMBERED_MS);
      remove.run('Grant', id);
    }
    for (const { grant_id } of selectTokenGrants.all(userId)) if (ids.has(digestOf(grant_id))) removeTokens.run(grant_id);
    for (const { id } of browsers) remove.run('Session', id);
  }

  const isEnded = (sessionId: string) => selectEnded.one(sessionId) !== undefined;
  /** A browser is signed in for as long as its dashboard is signed in or, without a dashboard session, as any other client is. */
  const isOver = ({ grants }: BrowserSession, isOut: (id: string) => boolean) => {
    const own = grants[dashboard];
    return own === undefined ? Object.values(grants).every(isOut) : isOut(own);
  };

  return {
    listSessions: async (userId) =>
      guarded(() =>
        grantsOf(userId)
          .map((row) => toSession(row, dashboard))
          .sort((a, b) => b.usedAt - a.usedAt),
      ),

    listSignIns: async (userId, limit, accountId) => guarded(() => selectSignIns.all(userId, accountId ?? null, limit).map(toSignIn)),

    endSession: (userId, sessionId) =>
      transaction(database, () => {
        if (!grantsOf(userId).some(({ id }) => id === sessionId)) return false;
        const isIts = ({ grants }: BrowserSession) => Object.values(grants).includes(sessionId);
        const browsers = browsersOf(userId).filter((browser) => isIts(browser) && isOver(browser, (id) => id === sessionId || isEnded(id)));
        end(userId, new Set([sessionId, ...browsers.flatMap(({ grants }) => Object.values(grants))]), browsers);
        record(sessionEnded(userId, sessionId));
        return true;
      }),

    endOtherSessions: (userId, sessionId) =>
      transaction(database, () => {
        const isHere = ({ grants }: BrowserSession) => Object.values(grants).includes(sessionId);
        const [here, others] = [browsersOf(userId).filter(isHere), browsersOf(userId).filter((browser) => !isHere(browser))];
        const kept = new Set([sessionId, ...here.flatMap(({ grants }) => grants[dashboard] ?? [])]);
        const all = [...grantsOf(userId).map(({ id }) => id), ...others.flatMap(({ grants }) => Object.values(grants))];
        end(userId, new Set(all.filter((id) => !kept.has(id))), others);
        record(userChanged('sessions.ended', userId));
      }),

    isEnded: (sessionId) => guarded(() => isEnded(sessionId)),

    endGrant: (grantId) =>
      transaction(database, () => {
        const id = digestOf(grantId);
        const userId = selectUser.one(id)?.user_id;
        forget.run(clock());
        remember.run(id, clock() + REMEMBERED_MS);
        remove.run('Grant', id);
        removeTokens.run(grantId);
        if (userId === undefined) return;
        record(sessionEnded(userId, id));
        for (const browser of browsersOf(userId))
          if (Object.values(browser.grants).includes(id) && isOver(browser, isEnded)) remove.run('Session', browser.id);
      }),
  };
}

function toSession({ id, payload, agent, used_at }: GrantRow, dashboard: string): Session {
  const { clientId, iat } = JSON.parse(payload) as { clientId: string; iat: number };
  const begunAt = iat * 1_000;
  return { id, client: clientId === dashboard ? 'dashboard' : 'command_line', agent: agent ?? undefined, begunAt, usedAt: used_at ?? begunAt };
}

function toSignIn({ action, method, address, ...rest }: SignInRow): SignInRecord {
  return {
    ...rest,
    outcome: action.slice(action.indexOf('.') + 1) as SignInRecord['outcome'],
    method: (method ?? undefined) as SignInRecord['method'],
    address: address ?? undefined,
  };
}
