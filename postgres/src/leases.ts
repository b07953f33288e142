// What a host holds while it is alive: work on a domain, or on a certificate order. A host renews a row of its own; once this row has expired,
// because the host was killed or hangs, other hosts take over its work. Times are the database's, so that hosts' clocks need not agree.

import { randomUUID } from 'node:crypto';
import type { Database, Statement } from './database.ts';

/** How long a host that is silent keeps its leases, in seconds. */
const ALIVE_SECONDS = 20;
/** How often a host renews its row, in milliseconds. */
const RENEW_MS = 5_000;

export interface Leases {
  /** Id of the host. */
  readonly host: string;
  /** Claims something for this host until `release`. Returns false if another host has it, or it does not exist. */
  claim(kind: Kind, id: string): Promise<boolean>;
  /** Releases something; does nothing if another host has it. */
  release(kind: Kind, id: string): Promise<void>;
  /** Ends the host's leases. */
  stop(): Promise<void>;
}

type Kind = 'domain' | 'order';

const RENEW: Statement = {
  text: `INSERT INTO hosts (id, alive_until) VALUES ($1, clock_timestamp() + interval '${ALIVE_SECONDS} seconds')
    ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`,
};
const LEAVE: Statement = { text: 'DELETE FROM hosts WHERE id = $1' };
const FORGET: Statement = { text: "DELETE FROM hosts WHERE alive_until < clock_timestamp() - interval '1 day'" };
/** Whether another host's lease is in force. `l` is the lease, `$2` this host. */
export const ELSEWHERE = 'l.host <> $2 AND EXISTS (SELECT FROM hosts h WHERE h.id = l.host AND h.alive_until > clock_timestamp())';
const CLAIMS: Readonly<Record<Kind, Statement>> = {
  domain: { name: 'lease_domain', text: claimSql('domains', 'id') },
  order: { name: 'lease_order', text: claimSql('acme_orders', 'reference') },
};
const RELEASE: Statement = { name: 'lease_release', text: 'DELETE FROM leases WHERE name = $1 AND host = $2' };

function claimSql(table: string, key: string): string {
  return `INSERT INTO leases AS l (name, host) SELECT $1, $2 FROM ${table} WHERE ${key} = $3
    ON CONFLICT (name) DO UPDATE SET host = excluded.host WHERE NOT (${ELSEWHERE}) RETURNING name`;
}

/** Registers this host, and renews the registration until it is stopped. */
export async function startLeases(database: Database): Promise<Leases> {
  const host = randomUUID();
  const renew = () => database.query(RENEW, [host]);
  await renew();
  await database.query(FORGET);
  // A failed renewal is retried; if all fail, other hosts take over the work.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  return {
    host,
    claim: async (kind, id) => (await database.query(CLAIMS[kind], [`${kind} ${id}`, host, id])).length === 1,
    release: async (kind, id) => void (await database.query(RELEASE, [`${kind} ${id}`, host])),
    stop: async () => {
      clearInterval(timer);
      await database.query(LEAVE, [host]);
    },
  };
}
