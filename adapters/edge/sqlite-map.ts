// The edge map of the embedded service: which host is served, for which project, with which certificate. Asked for each request
// and each handshake, so a host that is removed, by whatever process, is refused from the next one on.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface EdgeEntry {
  readonly projectId: string;
  readonly certificate: string;
}

export interface EdgeMap {
  get(host: string): EdgeEntry | undefined;
  set(host: string, entry: EdgeEntry): void;
  delete(host: string): void;
}

export function createSqliteEdgeMap(database: DatabaseSync): EdgeMap {
  const select = prepareSelect<EdgeEntry>(database, 'SELECT project_id AS projectId, certificate FROM edge_map WHERE host = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO edge_map (host, project_id, certificate) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM edge_map WHERE host = ?');
  return {
    get: (host) => guarded(() => select.one(host)),
    set: (host, { projectId, certificate }) => guarded(() => void upsert.run(host, projectId, certificate)),
    delete: (host) => guarded(() => void remove.run(host)),
  };
}
