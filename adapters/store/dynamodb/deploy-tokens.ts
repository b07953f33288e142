// Deploy tokens in the control table: deploy-tokens#<project> / <token>. A token's id contains its project's.

import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DeployToken, projectIdOfTokenId } from '../../../core/access/deploy-token.ts';
import { EXPIRED_TOKEN_KEPT_MS } from '../../../core/access/deploy-tokens.ts';
import type { DeployTokenStore } from '../../../core/access/ports.ts';
import { deployTokenChanged } from '../../../core/audit/changes.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { getItem, partition, writeAll } from './calls.ts';
import { guarded, isConditionFailed } from './faults.ts';
import { type Item, integer, text } from './items.ts';
import { accountOfProject } from './project-items.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

const PARTITION = 'deploy-tokens#';
const EXISTS = { ConditionExpression: 'attribute_exists(pk)' };

/** Creates the store on the control table. */
export function createDynamoDbDeployTokenStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): DeployTokenStore {
  /** Runs a change of an existing token. @returns false if there is none */
  async function changed(tokenId: string, change: (key: Item) => Promise<unknown>): Promise<boolean> {
    const key = keyOf(tokenId);
    if (key === undefined) return false;
    try {
      await change(key);
      return true;
    } catch (error) {
      if (isConditionFailed(error)) return false;
      throw error;
    }
  }

  return {
    addToken: async (token) => {
      const accountId = await accountOfProject(client, table, token.projectId);
      await writeAll(client, [
        { Put: { TableName: table, Item: tokenItem(token) } },
        ...audit(deployTokenChanged('deploy_token.issued', accountId, token)),
      ]);
    },

    listTokens: async (projectId) =>
      (await partition(client, table, `${PARTITION}${projectId}`)).map(toToken).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),

    getToken: async (tokenId) => {
      const key = keyOf(tokenId);
      const item = key && (await getItem(client, table, key));
      return item && toToken(item);
    },

    useToken: async (tokenId, at) => {
      await changed(tokenId, (Key) => {
        const update = { UpdateExpression: 'SET lastUsedAt = :at', ...EXISTS, ExpressionAttributeValues: { ':at': { N: String(at) } } };
        return guarded('UpdateItem', client.send(new UpdateItemCommand({ TableName: table, Key, ...update })));
      });
    },

    removeToken: async (tokenId) => {
      const Key = keyOf(tokenId);
      const item = Key && (await getItem(client, table, Key));
      if (item === undefined) return false;
      const token = toToken(item);
      const accountId = await accountOfProject(client, table, token.projectId);
      const refused = await writeAll(client, [
        { Delete: { TableName: table, Key, ...EXISTS } },
        ...audit(deployTokenChanged('deploy_token.revoked', accountId, token)),
      ]);
      return refused === undefined;
    },
  };
}

function keyOf(tokenId: string): Item | undefined {
  const projectId = projectIdOfTokenId(tokenId);
  return projectId === undefined ? undefined : { pk: { S: PARTITION + projectId }, sk: { S: tokenId } };
}

function tokenItem({ id, projectId, digest, name, createdBy, createdAt, expiresAt }: DeployToken): Item {
  return {
    pk: { S: PARTITION + projectId },
    sk: { S: id },
    digest: { S: digest },
    name: { S: name },
    createdBy: { S: createdBy },
    createdAt: { N: String(createdAt) },
    expiresAt: { N: String(expiresAt) },
    [TTL_ATTRIBUTE]: { N: String(Math.ceil((expiresAt + EXPIRED_TOKEN_KEPT_MS) / 1_000)) },
  };
}

function toToken(item: Item): DeployToken {
  return {
    id: text(item, 'sk'),
    projectId: text(item, 'pk').slice(PARTITION.length),
    digest: text(item, 'digest'),
    name: text(item, 'name'),
    createdBy: text(item, 'createdBy'),
    createdAt: integer(item, 'createdAt'),
    expiresAt: integer(item, 'expiresAt'),
    ...(item.lastUsedAt && { lastUsedAt: integer(item, 'lastUsedAt') }),
  };
}
