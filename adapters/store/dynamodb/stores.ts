// The stores on AWS: all ports, on one stage's tables.

import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DeployTokenStore, InvitationStore, MemberStore } from '../../../core/access/ports.ts';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../../core/answers/ports.ts';
import type { AuditLog } from '../../../core/audit/ports.ts';
import type { DomainStore } from '../../../core/domains/ports.ts';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import type { Stores } from '../../../core/ports.ts';
import type { FileRemovalStore, ProjectStore } from '../../../core/projects/ports.ts';
import { createDynamoDbAccountStore } from './accounts.ts';
import { type AuditWrites, createAuditWrites, createDynamoDbAuditLog } from './audit.ts';
import { type DynamoDbClients, putItem, refusedBy, updateItem, updateOfExisting } from './calls.ts';
import { createDynamoDbDomainStore } from './domains.ts';
import { attributes, controlKey, text, timeToLive } from './items.ts';
import { createDynamoDbInvitationStore, createDynamoDbMemberStore } from './members.ts';
import { createDynamoDbNotificationSettings } from './notifications.ts';
import { createDynamoDbPetStore } from './pets.ts';
import { createDynamoDbDeployTokenStore, createDynamoDbProjectStore } from './projects.ts';
import { createDynamoDbFileRemovalStore } from './sweeps.ts';
import type { AccessTableNames, TableNames } from './tables.ts';
import { createDynamoDbUsageStore } from './usage/usage.ts';
import { createDynamoDbMinuteCounter } from './usage/usage-item.ts';

/** Creates the stores for animals, accounts and admission. @param inBackground see createDynamoDbUsageStore */
export function createDynamoDbStores(clients: DynamoDbClients, tables: TableNames, inBackground?: (work: Promise<void>) => void): Required<Stores> {
  return { pets: createDynamoDbPetStore(clients.retrying, tables.pets), ...createDynamoDbAccessStores(clients, tables, inBackground) };
}

/** Creates the stores for accounts and admission. @param inBackground see createDynamoDbUsageStore @param audit one for all stores */
export function createDynamoDbAccessStores(
  clients: DynamoDbClients,
  tables: AccessTableNames,
  inBackground?: (work: Promise<void>) => void,
  audit: AuditWrites = createAuditWrites(tables.audit),
): Required<Omit<Stores, 'pets'>> {
  return {
    accounts: createDynamoDbAccountStore(clients.retrying, tables, audit),
    ...createDynamoDbUsageStore(clients, tables, inBackground),
  };
}

export interface DynamoDbProjectStores {
  readonly projects: ProjectStore;
  readonly removals: FileRemovalStore;
  readonly domains: DomainStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly answers: AnswerStore;
  readonly userRequests: MinuteCounter;
  readonly notificationSettings: NotificationSettings;
  /** Undefined without its table. */
  readonly audit: AuditLog | undefined;
}

/** Creates the stores for projects and domains, which the catalogue's function does not need. @param audit one for all stores of a process */
export function createDynamoDbProjectStores(
  clients: DynamoDbClients,
  tables: Pick<AccessTableNames, 'control' | 'audit'>,
  audit: AuditWrites = createAuditWrites(tables.audit),
): DynamoDbProjectStores {
  return {
    projects: createDynamoDbProjectStore(clients.retrying, tables.control, audit),
    removals: createDynamoDbFileRemovalStore(clients.retrying, tables.control, audit),
    domains: createDynamoDbDomainStore(clients.retrying, tables.control, audit),
    members: createDynamoDbMemberStore(clients.retrying, tables.control, audit),
    invitations: createDynamoDbInvitationStore(clients.retrying, tables.control, audit),
    deployTokens: createDynamoDbDeployTokenStore(clients.retrying, tables.control, audit),
    answers: createDynamoDbAnswerStore(clients.retrying, tables.control),
    userRequests: createDynamoDbMinuteCounter(clients.retrying, tables.control),
    audit: tables.audit === undefined ? undefined : createDynamoDbAuditLog(clients.retrying, tables.audit, audit),
    notificationSettings: createDynamoDbNotificationSettings(clients.retrying, tables.control, audit),
  };
}

// Responses to retryable requests, in the control table. Each response has a separate partition and is deleted by the table's TTL.

function createDynamoDbAnswerStore(client: DynamoDBClient, table: string): AnswerStore {
  const keyOf = (id: string) => controlKey(`answer#${id}`, 'answer');
  return {
    claim: async (id, fingerprint, now) => {
      const expiresAt = now + ANSWER_KEPT_MS;
      const item = { ...keyOf(id), ...attributes({ fingerprint, claimedUntil: now + CLAIM_MS, expiresAt }), ...timeToLive(expiresAt) };
      // TTL deletion can take days, so the expiry time is also checked here.
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
