// What the hosts' edges serve: the edge map, and the addresses that projects have without a domain. They are read for each request and each
// handshake, so a change published by any host takes effect on all hosts with the next request.

import type { DomainConfiguration, EdgeEntry, OwnAddressStore, ServedMap, Shown } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';

interface ShownRow {
  readonly id: string;
  readonly current_deployment_id: string | null;
  readonly configuration: string;
}

/** Entries per page of the list. */
const PAGE = 500;

const GET: Statement = { name: 'edge_get', text: 'SELECT project_id AS "projectId", certificate FROM edge_map WHERE host = $1' };
const GET_ALL: Statement = { text: 'SELECT host, project_id AS "projectId", certificate FROM edge_map WHERE host = ANY($1::text[]) FOR UPDATE' };
const SHOWN: Statement = {
  name: 'edge_shown',
  text: `SELECT p.id, p.current_deployment_id, p.configuration FROM edge_map m JOIN projects p ON p.id = m.project_id
    WHERE m.host = $1 AND p.deleted_at IS NULL`,
};
const SET: Statement = {
  text: `INSERT INTO edge_map (host, project_id, certificate) VALUES ($1, $2, $3)
    ON CONFLICT (host) DO UPDATE SET project_id = excluded.project_id, certificate = excluded.certificate`,
};
const RESTORE: Statement = { text: 'INSERT INTO edge_map (host, project_id, certificate) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING' };
const REFUSE: Statement = { text: 'DELETE FROM edge_map WHERE host = ANY($1::text[]) AND project_id = $2' };
const WITHHOLD: Statement = { text: 'UPDATE projects SET withheld = $2 WHERE id = $1 AND withheld <> $2' };
const ENTRIES: Statement = { text: `SELECT host, project_id AS "projectId" FROM edge_map WHERE host > $1 ORDER BY host LIMIT ${PAGE}` };

/** Creates the edge map. */
export function createEdgeMap(database: Database): ServedMap {
  return {
    get: async (host) => (await database.query<EdgeEntry>(GET, [host]))[0],
    shown: async (host) => shownBy(await database.query<ShownRow>(SHOWN, [host])),
    set: async (host, { projectId, certificate }) => void (await database.query(SET, [host, projectId, certificate])),
    // The deployment is not stored here, but read from the project for each request.
    publish: async ({ id }, current, hosts = []) => {
      const removed = new Map<string, EdgeEntry>();
      for (let before: string | undefined; ; ) {
        const publication = await current();
        const refused = hosts.filter((host) => !publication?.hosts.includes(host));
        const next = JSON.stringify([publication === undefined, refused]);
        if (next === before) return;
        await durably(database, async (transaction) => {
          transaction.send(WITHHOLD, [id, publication === undefined]);
          for (const { host, ...entry } of await transaction.query<EdgeEntry & { readonly host: string }>(GET_ALL, [refused]))
            if (entry.projectId === id) removed.set(host, entry);
          transaction.send(REFUSE, [refused, id]);
          // Hosts that an earlier pass refused, but this one does not.
          for (const [host, entry] of removed) if (!refused.includes(host)) transaction.send(RESTORE, [host, id, entry.certificate]);
        });
        before = next;
      }
    },
    entries: async (after = '') => {
      const items = await database.query<{ host: string; projectId: string }>(ENTRIES, [after]);
      return { items, next: items.length < PAGE ? undefined : items.at(-1)?.host };
    },
  };
}

function shownBy([row]: readonly ShownRow[]): Shown | undefined {
  return row && { projectId: row.id, deploymentId: row.current_deployment_id, configuration: JSON.parse(row.configuration) as DomainConfiguration };
}

const IS_SERVED = 'token = $1 AND deleted_at IS NULL AND NOT withheld';
const OWN_SHOWN: Statement = { name: 'own_shown', text: `SELECT id, current_deployment_id, configuration FROM projects WHERE ${IS_SERVED}` };
const PROJECT: Statement = { name: 'own_project', text: `SELECT id, account_id AS "accountId" FROM projects WHERE ${IS_SERVED}` };
const CERTIFICATE: Statement = { name: 'own_certificate', text: 'SELECT certificate FROM own_addresses WHERE project_id = $1' };
const SET_CERTIFICATE: Statement = {
  text: `INSERT INTO own_addresses (project_id, token, certificate) VALUES ($1, $2, $3)
    ON CONFLICT (project_id) DO UPDATE SET token = excluded.token, certificate = excluded.certificate`,
};
const UNUSED: Statement = {
  text: `SELECT a.project_id AS id, a.token FROM own_addresses a JOIN projects p ON p.id = a.project_id WHERE p.deleted_at IS NOT NULL OR $1::boolean`,
};
const FORGET: Statement = { text: 'DELETE FROM own_addresses WHERE project_id = $1' };

/** Creates the store for projects' own addresses. */
export function createOwnAddressStore(database: Database): OwnAddressStore {
  return {
    shown: async (token) => shownBy(await database.query<ShownRow>(OWN_SHOWN, [token])),
    projectOf: async (token) => (await database.query<{ id: string; accountId: string }>(PROJECT, [token]))[0],
    certificateOf: async (id) => (await database.query<{ certificate: string }>(CERTIFICATE, [id]))[0]?.certificate,
    setCertificate: async (id, token, certificate) => void (await database.query(SET_CERTIFICATE, [id, token, certificate])),
    unused: (areAll) => database.query<{ id: string; token: string }>(UNUSED, [areAll]),
    forget: async (id) => void (await database.query(FORGET, [id])),
  };
}
