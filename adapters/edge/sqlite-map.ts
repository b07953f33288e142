// The embedded service's edge map: which hosts are served, for which project, with which certificate. The edge reads it for each request and each
// handshake, so a host that any process removes is refused from the next request on.

import type { DatabaseSync } from 'node:sqlite';
import type { EdgeMap } from '../../core/domains/ports.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, written } from '../store/sqlite/transaction.ts';

/** Entries per page of the list. */
const PAGE = 500;

export interface EdgeEntry {
  readonly projectId: string;
  readonly certificate: string;
}

export interface SqliteEdgeMap extends EdgeMap {
  get(host: string): EdgeEntry | undefined;
  set(host: string, entry: EdgeEntry): void;
}

/** Creates the edge map in SQLite. */
export function createSqliteEdgeMap(database: DatabaseSync): SqliteEdgeMap {
  const select = prepareSelect<EdgeEntry>(database, 'SELECT project_id AS projectId, certificate FROM edge_map WHERE host = ?');
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
    set: (host, { projectId, certificate }) => guarded(() => void upsert.run(host, projectId, certificate)),
    // What is served besides is not stored here: the edge reads the project store for each request.
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
            // It is to be served again by now.
            else if (removed.has(host)) restore.run(host, id, removed.get(host)?.certificate ?? '');
          }
        });
        before = next;
      }
    },
    entries: async (after = '') =>
      guarded(() => {
        const items = selectPage.all(after, PAGE);
        return { items, next: items.length < PAGE ? undefined : items.at(-1)?.host };
      }),
  };
}
