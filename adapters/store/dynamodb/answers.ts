// Responses to retryable requests, in the control table. Each response has a separate partition and is deleted by the table's TTL.

import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../../core/answers/ports.ts';
import { putItem, updateItem, updateOfExisting } from './calls.ts';
import { refusedBy } from './faults.ts';
import { attributes, controlKey, text, timeToLive } from './items.ts';

/** Creates the store of responses. */
export function createDynamoDbAnswerStore(client: DynamoDBClient, table: string): AnswerStore {
  const keyOf = (id: string) => controlKey(`answer#${id}`, 'answer');
  return {
    claim: async (id, fingerprint, now) => {
      const expiresAt = now + ANSWER_KEPT_MS;
      const item = { ...keyOf(id), ...attributes({ fingerprint, claimedUntil: now + CLAIM_MS, expiresAt }), ...timeToLive(expiresAt) };
      // TTL deletion can take days, so the expiry time is checked here as well.
      const isFree =
        'attribute_not_exists(pk) OR expiresAt <= :now OR (attribute_not_exists(answer) AND claimedUntil <= :now AND fingerprint = :fingerprint)';
      const known = await putItem(client, table, item, isFree, { ':now': now, ':fingerprint': fingerprint });
      if (known === undefined) return { kind: 'claimed' };
      if (text(known, 'fingerprint') !== fingerprint) return { kind: 'reused' };
      return known.answer === undefined ? { kind: 'in_progress' } : { kind: 'answered', answer: text(known, 'answer') };
    },
    keep: async (id, answer) => void (await updateItem(client, updateOfExisting(table, keyOf(id), { answer }))),
    release: async (id) => {
      const command = new DeleteItemCommand({ TableName: table, Key: keyOf(id), ConditionExpression: 'attribute_not_exists(answer)' });
      await refusedBy('DeleteItem', client.send(command));
    },
  };
}
