// Deploy tokens in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { DeployToken } from '../../../core/access/deploy-token.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import { deployTokenChanged } from '../../../core/audit/changes.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './database.ts';
import { prepareAccountOf } from './projects.ts';
import { guarded, transaction, written } from './transaction.ts';

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
export function createSqliteDeployTokenStore(database: DatabaseSync, record: RecordChange): DeployTokenStore {
  const accountOf = prepareAccountOf(database);
  const insert = database.prepare(
    'INSERT INTO deploy_tokens (id, project_id, digest, name, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const selectAll = prepareSelect<TokenRow>(database, 'SELECT * FROM deploy_tokens WHERE project_id = ? ORDER BY created_at, id');
  const selectOne = prepareSelect<TokenRow>(database, 'SELECT * FROM deploy_tokens WHERE id = ?');
  const use = database.prepare('UPDATE deploy_tokens SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?');
  const remove = database.prepare('DELETE FROM deploy_tokens WHERE id = ? RETURNING *');
  return {
    addToken: async (token) =>
      transaction(database, () => {
        const { id, projectId, digest, name, createdBy, createdAt, expiresAt } = token;
        insert.run(id, projectId, digest, name, createdBy, createdAt, expiresAt);
        record(deployTokenChanged('deploy_token.issued', accountOf(projectId), token));
      }),
    listTokens: async (projectId) => guarded(() => selectAll.all(projectId).map(toToken)),
    getToken: async (tokenId) =>
      guarded(() => {
        const row = selectOne.one(tokenId);
        return row && toToken(row);
      }),
    useToken: async (tokenId, at) => written(() => void use.run(at, tokenId)),
    removeToken: async (tokenId) =>
      transaction(database, () => {
        const removed = remove.get(tokenId) as TokenRow | undefined;
        if (removed !== undefined) record(deployTokenChanged('deploy_token.revoked', accountOf(removed.project_id), toToken(removed)));
        return removed !== undefined;
      }),
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
