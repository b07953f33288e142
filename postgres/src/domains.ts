// Domains, and the queue of those that are due. Each is stored as JSON; a write succeeds only if that JSON has not changed since it was read.

import type { Domain, DomainQueue, DomainStore } from 'petstore-platform';
import {
  byAge,
  domainAdded,
  domainNotification,
  domainStateSet,
  duePage,
  isProved,
  isWaitedFor,
  nextCheckAt,
  parseDuePosition,
} from 'petstore-platform/stores';
import { type Database, durably, lock, type Statement, type Value } from './database.ts';
import { ELSEWHERE, type Leases } from './leases.ts';
import type { Log } from './log.ts';

interface Row {
  readonly body: string;
}

/** A domain is due if its time has come, or was set while the clock was wrong. `$1` is the current time. */
const DUE = 'wake_at IS NOT NULL AND (wake_at <= $1::bigint OR changed_at > $1::bigint)';

const ADD: Statement = {
  text: `INSERT INTO domains (id, host, project_id, account_id, proved_host, active_host, wake_at, waited_for, changed_at, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`,
};
const GET: Statement = { name: 'domain', text: 'SELECT body FROM domains WHERE id = $1' };
const OF_PROJECT: Statement = { text: 'SELECT body FROM domains WHERE project_id = $1 AND active_host IS NOT NULL' };
const OF_HOST: Statement = { text: 'SELECT body FROM domains WHERE host = $1' };
const PROVED: Statement = { text: 'SELECT id FROM domains WHERE proved_host = $1 AND id <> $2' };
const SAVE: Statement = {
  name: 'domain_save',
  text: `UPDATE domains SET proved_host = $1, active_host = $2, wake_at = $3, waited_for = $4, changed_at = $5, body = $6
    WHERE id = $7 AND body = $8 RETURNING id`,
};
const DUE_PAGE: Statement = { text: `SELECT body FROM domains WHERE ${DUE} AND (wake_at, id) > ($2::bigint, $3) ORDER BY wake_at, id LIMIT $4` };
/** Ranks an account's domains by time and limits their number, so that no account fills the queue. */
const QUEUED: Statement = {
  name: 'domains_queued',
  text: `SELECT body FROM (
      SELECT id, wake_at, body, row_number() OVER (PARTITION BY account_id ORDER BY wake_at, id) AS place FROM domains
      WHERE ${DUE} AND waited_for = $3 AND id <> ALL ($4::text[])
        AND NOT EXISTS (SELECT FROM leases l WHERE l.name = 'domain ' || domains.id AND ${ELSEWHERE})
    ) AS ranked WHERE place <= $5 ORDER BY place, wake_at, id LIMIT $6`,
};

/** Creates the domain store. */
export function createDomainStore(database: Database, log: Log): DomainStore {
  return {
    addDomain: (domain) =>
      durably(database, async (transaction) => {
        const { id, host, projectId, accountId } = domain;
        if ((await transaction.query(ADD, [id, host, projectId, accountId, ...columnsOf(domain)])).length === 0) return 'exists';
        log.record(transaction, domainAdded(domain));
        return 'added';
      }),
    getDomain: async (id) => parsed(await database.query<Row>(GET, [id]))[0],
    listDomains: async (projectId) => parsed(await database.query<Row>(OF_PROJECT, [projectId])).sort(byAge),
    claimsOf: async (host) => parsed(await database.query<Row>(OF_HOST, [host])).sort(byAge),
    saveDomain: (next, read) =>
      durably(database, async (transaction) => {
        if (isProved(next.state)) {
          await lock(transaction, [`host ${next.host}`]);
          if ((await transaction.query(PROVED, [next.host, next.id])).length > 0) return 'host_taken';
        }
        if ((await transaction.query(SAVE, [...columnsOf(next), read.id, JSON.stringify(read)])).length === 0) return 'changed';
        log.record(transaction, domainStateSet(read, next));
        log.notify(transaction, domainNotification(read, next));
        return 'saved';
      }),
    dueDomains: async (now, limit, after) => {
      const { wakeAt, id } = parseDuePosition(after);
      return duePage(parsed(await database.query<Row>(DUE_PAGE, [now, wakeAt, id, limit])), limit);
    },
  };
}

/** Creates the queue. */
export function createDomainQueue(database: Database, leases: Leases): Required<DomainQueue> {
  return {
    queuedDomains: async ({ waitedFor, now, limit, perAccount, except }) =>
      parsed(await database.query<Row>(QUEUED, [now, leases.host, waitedFor, except, perAccount, limit])),
    claim: (id) => leases.claim('domain', id),
    release: (id) => leases.release('domain', id),
  };
}

function parsed(rows: readonly Row[]): Domain[] {
  return rows.map(({ body }) => JSON.parse(body));
}

/** Returns the values of SAVE, in its order. */
function columnsOf(domain: Domain): readonly Value[] {
  const { host, state, changedAt = 0 } = domain;
  const activeHost = state.name === 'removed' ? null : host;
  return [isProved(state) ? host : null, activeHost, nextCheckAt(state) ?? null, isWaitedFor(state), changedAt, JSON.stringify(domain)];
}
