// Deploy tokens in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { DeployToken } from '../../../core/access/deploy-token.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import { prepareSelect } from './select.ts';
import { guarded, written } from './transaction.ts';

interface TokenRow {
  id: string;
  project_id: string;
  digest: string;
  name: string;
  created_by: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
}

/** Creates the store. */
export function createSqliteDeployTokenStore(database: DatabaseSync): DeployTokenStore {
  const insert = database.prepare(
    'INSERT INTO deploy_tokens (id, project_id, digest, name, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const selectAll = prepareSelect<TokenRow>(database, 'SELECT * FROM deploy_tokens WHERE project_id = ? ORDER BY created_at, id');
  const selectOne = prepareSelect<TokenRow>(database, 'SELECT * FROM deploy_tokens WHERE id = ?');
  const use = database.prepare('UPDATE deploy_tokens SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?');
  const remove = database.prepare('DELETE FROM deploy_tokens WHERE id = ?');
  return {
    addToken: async ({ id, projectId, digest, name, createdBy, createdAt, expiresAt }) =>
      written(() => void insert.run(id, projectId, digest, name, createdBy, createdAt, expiresAt)),
    listTokens: async (projectId) => guarded(() => selectAll.all(projectId).map(toToken)),
    getToken: async (tokenId) =>
      guarded(() => {
        const row = selectOne.one(tokenId);
        return row && toToken(row);
      }),
    useToken: async (tokenId, at) => written(() => void use.run(at, tokenId)),
    removeToken: async (tokenId) => written(() => remove.run(tokenId).changes === 1),
  };
}

function toToken(row: TokenRow): DeployToken {
  return {
    id: row.id,
    projectId: row.project_id,
    digest: row.digest,
    name: row.name,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  };
}
