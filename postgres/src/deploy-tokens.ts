// Deploy tokens.

import type { DeployTokenStore } from 'petstore-platform';
import { type DeployToken, deployTokenChanged } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import type { Log } from './log.ts';
import { accountOf } from './projects.ts';

interface Row {
  readonly id: string;
  readonly project_id: string;
  readonly digest: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: bigint;
  readonly expires_at: bigint;
  readonly last_used_at: bigint | null;
}

const ADD: Statement = {
  text: 'INSERT INTO deploy_tokens (id, project_id, digest, name, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
};
const LIST: Statement = { text: 'SELECT * FROM deploy_tokens WHERE project_id = $1 ORDER BY created_at, id' };
const GET: Statement = { text: 'SELECT * FROM deploy_tokens WHERE id = $1' };
const USE: Statement = { text: 'UPDATE deploy_tokens SET last_used_at = greatest(last_used_at, $2::bigint) WHERE id = $1' };
const REMOVE: Statement = { text: 'DELETE FROM deploy_tokens WHERE id = $1 RETURNING *' };

/** Creates the store. */
export function createDeployTokenStore(database: Database, log: Log): DeployTokenStore {
  return {
    addToken: (token) =>
      durably(database, async (transaction) => {
        const { id, projectId, digest, name, createdBy, createdAt, expiresAt } = token;
        const accountId = await accountOf(transaction, projectId);
        transaction.send(ADD, [id, projectId, digest, name, createdBy, createdAt, expiresAt]);
        log.record(transaction, deployTokenChanged('deploy_token.issued', accountId, token));
      }),
    listTokens: async (projectId) => (await database.query<Row>(LIST, [projectId])).map(toToken),
    getToken: async (tokenId) => (await database.query<Row>(GET, [tokenId])).map(toToken)[0],
    useToken: async (tokenId, at) => void (await database.query(USE, [tokenId, at])),
    removeToken: (tokenId) =>
      durably(database, async (transaction) => {
        const [removed] = await transaction.query<Row>(REMOVE, [tokenId]);
        if (removed === undefined) return false;
        log.record(transaction, deployTokenChanged('deploy_token.revoked', await accountOf(transaction, removed.project_id), toToken(removed)));
        return true;
      }),
  };
}

function toToken(row: Row): DeployToken {
  return {
    id: row.id,
    projectId: row.project_id,
    digest: row.digest,
    name: row.name,
    createdBy: row.created_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ...(row.last_used_at !== null && { lastUsedAt: Number(row.last_used_at) }),
  };
}
