// The embedded service's edge map: which hosts are served, for which project, with which certificate. The edge reads it for each request and each
// handshake, so any process's changes take effect with the next request. A read takes 3 µs.

import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { EdgeEntry, OwnAddressStore, ServedMap, Shown } from '../../core/domains/served.ts';
import type { Immediate } from '../../core/ports.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, written } from '../store/sqlite/transaction.ts';

/** Entries per page of the list. */
const PAGE = 500;

/** Creates the edge map in SQLite. */
export function createSqliteEdgeMap(database: DatabaseSync): Immediate<ServedMap> {
  const select = prepareSelect<EdgeEntry>(database, 'SELECT project_id AS projectId, certificate FROM edge_map WHERE host = ?');
  const shown = prepareShown(database, 'edge_map JOIN projects ON projects.id = edge_map.project_id WHERE host = ? AND deleted_at IS NULL');
  const selectPage = prepareSelect<{ host: string; projectId: string }>(
    database,
    'SELECT host, project_id AS projectId FROM edge_map WHERE host > ? ORDER BY host LIMIT ?',
  );
  const upsert = database.prepare('INSERT OR REPLACE INTO edge_map (host, project_id, certificate) VALUES (?, ?, ?)');
  const restore = database.prepare('INSERT OR IGNORE INTO edge_map (host, project_id, certificate) VALUES (?, ?, ?)');
  const withhold = database.prepare('UPDATE projects SET withheld = ? WHERE id = ? AND withheld <> ?');
  const remove = database.prepare('DELETE FROM edge_map WHERE host = ? AND project_id = ?');
  return {
    get: (host) => guarded(() => select.one(host)),
    shown,
    set: (host, { projectId, certificate }) => guarded(() => void upsert.run(host, projectId, certificate)),
    // The deployment is not stored here: it is read from the project for each request.
    publish: async ({ id }, current, hosts = []) => {
      const removed = new Map<string, EdgeEntry>();
      for (let before: string | undefined; ; ) {
        const publication = await current();
        const withheld = publication === undefined ? 1 : 0;
        const refused = hosts.filter((host) => !publication?.hosts.includes(host));
        const next = JSON.stringify([withheld, refused]);
        if (next === before) return;
        await written(() => {
          withhold.run(withheld, id, withheld);
          for (const host of hosts) {
            const entry = select.one(host);
            if (refused.includes(host) && entry?.projectId === id) removed.set(host, entry);
            if (refused.includes(host)) remove.run(host, id);
            // The host was added again meanwhile, and must be served.
            else if (removed.has(host)) restore.run(host, id, removed.get(host)?.certificate ?? '');
          }
        });
        before = next;
      }
    },
    entries: async (after = '') => {
      // All of this runs in one process, so without a pause, requests would wait for the whole sweep.
      await setImmediate();
      return guarded(() => {
        const items = selectPage.all(after, PAGE);
        return { items, next: items.length < PAGE ? undefined : items.at(-1)?.host };
      });
    },
  };
}

/** Prepares the query for what to serve at a host. @param source the text after FROM, with one parameter */
function prepareShown(database: DatabaseSync, source: string): (parameter: string) => Shown | undefined {
  const select = prepareSelect<Omit<Shown, 'configuration'> & { readonly configuration: string }>(
    database,
    `SELECT projects.id AS projectId, current_deployment_id AS deploymentId, configuration FROM ${source}`,
  );
  return (parameter) =>
    guarded(() => {
      const row = select.one(parameter);
      return row && { projectId: row.projectId, deploymentId: row.deploymentId, configuration: JSON.parse(row.configuration) };
    });
}

/** Creates the storage for projects' own addresses in SQLite. */
export function createSqliteOwnAddresses(database: DatabaseSync): Immediate<OwnAddressStore> {
  const shown = prepareShown(database, 'projects WHERE token = ? AND deleted_at IS NULL AND withheld = 0');
  const selectProject = prepareSelect<{ id: string; accountId: string }>(
    database,
    'SELECT id, account_id AS accountId FROM projects WHERE token = ? AND deleted_at IS NULL AND withheld = 0',
  );
  const select = prepareSelect<{ certificate: string }>(database, 'SELECT certificate FROM own_addresses WHERE project_id = ?');
  const selectUnused = prepareSelect<{ id: string; token: string }>(
    database,
    'SELECT project_id AS id, own_addresses.token FROM own_addresses JOIN projects ON projects.id = project_id WHERE deleted_at IS NOT NULL OR ?1 = 1',
  );
  const upsert = database.prepare('INSERT OR REPLACE INTO own_addresses (project_id, token, certificate) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM own_addresses WHERE project_id = ?');
  return {
    shown,
    projectOf: (token) => guarded(() => selectProject.one(token)),
    certificateOf: (id) => guarded(() => select.one(id)?.certificate),
    setCertificate: (id, token, certificate) => written(() => void upsert.run(id, token, certificate)),
    unused: (areAll) => guarded(() => selectUnused.all(areAll ? 1 : 0)),
    forget: (id) => written(() => void remove.run(id)),
  };
}
