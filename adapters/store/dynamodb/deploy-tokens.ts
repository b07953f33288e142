// Deploy tokens in the control table: deploy-tokens#<project> / <token>. A token's id contains its project's.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DeployToken, projectIdOfTokenId } from '../../../core/access/deploy-token.ts';
import { EXPIRED_TOKEN_KEPT_MS } from '../../../core/access/deploy-tokens.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import { deployTokenChanged } from '../../../core/audit/changes.ts';
import { byAge } from '../../../core/list-page.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { getValue, isWritten, partition, updateItem, updateOfExisting, writeAll } from './calls.ts';
import { after, controlKey, INTEGER, type Item, kindOf, later, named, TEXT, timeToLive } from './items.ts';
import { accountOfProject } from './project-items.ts';

const PARTITION = 'deploy-tokens#';

/** Creates the store on the control table. */
export function createDynamoDbDeployTokenStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): DeployTokenStore {
  const getToken = (tokenId: string) => getValue(client, table, keyOf(tokenId), TOKEN.read);

  return {
    addToken: async (token) => {
      const accountId = await accountOfProject(client, table, token.projectId);
      await writeAll(client, [
        { Put: { TableName: table, Item: TOKEN.write(token) } },
        ...audit(deployTokenChanged('deploy_token.issued', accountId, token)),
      ]);
    },

    listTokens: async (projectId) => (await partition(client, table, `${PARTITION}${projectId}`)).map(TOKEN.read).sort(byAge),

    getToken,

    useToken: async (tokenId, at) => {
      const key = keyOf(tokenId);
      if (key !== undefined) await updateItem(client, updateOfExisting(table, key, { lastUsedAt: at }));
    },

    removeToken: async (tokenId) => {
      const Key = keyOf(tokenId);
      const token = await getToken(tokenId);
      if (token === undefined) return false;
      const accountId = await accountOfProject(client, table, token.projectId);
      return isWritten(client, [
        { Delete: { TableName: table, Key, ConditionExpression: 'attribute_exists(pk)' } },
        ...audit(deployTokenChanged('deploy_token.revoked', accountId, token)),
      ]);
    },
  };
}

function keyOf(tokenId: string): Item | undefined {
  const projectId = projectIdOfTokenId(tokenId);
  return projectId === undefined ? undefined : controlKey(PARTITION + projectId, tokenId);
}

const TOKEN = kindOf<DeployToken>(
  {
    id: named('sk', TEXT),
    projectId: named('pk', after(PARTITION)),
    digest: TEXT,
    name: TEXT,
    createdBy: TEXT,
    createdAt: INTEGER,
    expiresAt: INTEGER,
    lastUsedAt: later(INTEGER),
  },
  ({ expiresAt }) => timeToLive(expiresAt + EXPIRED_TOKEN_KEPT_MS),
);
