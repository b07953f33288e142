// The embedded service's edge map: which hosts are served, for which project, with which certificate. The edge reads it for each request and each
// handshake, so a host that any process removes is refused from the next request on.

import type { DatabaseSync } from 'node:sqlite';
import type { EdgeMap } from '../../core/domains/ports.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
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
  const withhold = database.prepare('UPDATE projects SET withheld = ? WHERE id = ? AND withheld <> ?');
  const remove = database.prepare('DELETE FROM edge_map WHERE host = ? AND project_id = ?');
  return {
    get: (host) => guarded(() => select.one(host)),
    set: (host, { projectId, certificate }) => guarded(() => void upsert.run(host, projectId, certificate)),
    detach: async ({ host, projectId }) => written(() => void remove.run(host, projectId)),
    // Nothing to do: the edge reads the project store for each request.
    publish: async () => {},
    forget: async ({ id }) => written(() => void withhold.run(1, id, 1)),
    serveTarget: async ({ id }) => written(() => void withhold.run(0, id, 0)),
    entries: async (after = '') =>
      guarded(() => {
        const items = selectPage.all(after, PAGE);
        return { items, next: items.length < PAGE ? undefined : items.at(-1)?.host };
      }),
  };
}
