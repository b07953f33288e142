// Responses to retryable requests, in the control table. Each response has a separate partition and is deleted by the table's TTL.

import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../../core/answers/ports.ts';
import { refusedBy } from './faults.ts';
import { type Item, text } from './items.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** Creates the store of responses. */
export function createDynamoDbAnswerStore(client: DynamoDBClient, table: string): AnswerStore {
  const keyOf = (id: string): Item => ({ pk: { S: `answer#${id}` }, sk: { S: 'answer' } });
  return {
    claim: async (id, fingerprint, now) => {
      const expiresAt = now + ANSWER_KEPT_MS;
      const known = await refusedBy(
        'PutItem',
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: {
              ...keyOf(id),
              fingerprint: { S: fingerprint },
              claimedUntil: { N: String(now + CLAIM_MS) },
              expiresAt: { N: String(expiresAt) },
              [TTL_ATTRIBUTE]: { N: String(Math.ceil(expiresAt / 1_000)) },
            },
            // TTL deletion can take days, so the expiry time is checked here as well.
            ConditionExpression:
              'attribute_not_exists(pk) OR expiresAt <= :now OR (attribute_not_exists(answer) AND claimedUntil <= :now AND fingerprint = :fingerprint)',
            ExpressionAttributeValues: { ':now': { N: String(now) }, ':fingerprint': { S: fingerprint } },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (known === undefined) return { kind: 'claimed' };
      if (text(known, 'fingerprint') !== fingerprint) return { kind: 'reused' };
      return known.answer === undefined ? { kind: 'in_progress' } : { kind: 'answered', answer: text(known, 'answer') };
    },
    keep: async (id, answer) => {
      const command = new UpdateItemCommand({
        TableName: table,
        Key: keyOf(id),
        UpdateExpression: 'SET answer = :answer',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':answer': { S: answer } },
      });
      await refusedBy('UpdateItem', client.send(command));
    },
    release: async (id) => {
      const command = new DeleteItemCommand({ TableName: table, Key: keyOf(id), ConditionExpression: 'attribute_not_exists(answer)' });
      await refusedBy('DeleteItem', client.send(command));
    },
  };
}
