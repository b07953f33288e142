// The stores on AWS: all ports, on one stage's tables.

import type { DeployTokenStore, InvitationStore, MemberStore } from '../../../core/access/ports.ts';
import type { AnswerStore } from '../../../core/answers/ports.ts';
import type { AuditLog } from '../../../core/audit/ports.ts';
import type { DomainStore } from '../../../core/domains/ports.ts';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import type { FileRemovalStore, ProjectStore } from '../../../core/projects/ports.ts';
import type { Stores } from '../../../core/stores.ts';
import { createDynamoDbAccountStore } from './accounts.ts';
import { createDynamoDbAnswerStore } from './answers.ts';
import { type AuditWrites, createAuditWrites, createDynamoDbAuditLog } from './audit.ts';
import type { DynamoDbClients } from './calls.ts';
import { createDynamoDbDeployTokenStore } from './deploy-tokens.ts';
import { createDynamoDbDomainStore } from './domains.ts';
import { createDynamoDbFileRemovalStore } from './file-removals.ts';
import { createDynamoDbInvitationStore } from './invitations.ts';
import { createDynamoDbMemberStore } from './members.ts';
import { createDynamoDbMinuteCounter } from './minute-counter.ts';
import { createDynamoDbNotificationSettings } from './notification-settings.ts';
import { createDynamoDbPetStore } from './pets.ts';
import { createDynamoDbProjectStore } from './projects.ts';
import type { AccessTableNames, TableNames } from './tables.ts';
import { createDynamoDbUsageStore } from './usage.ts';

/** Creates the stores for animals, accounts and admission. @param inBackground see createDynamoDbUsageStore */
export function createDynamoDbStores(clients: DynamoDbClients, tables: TableNames, inBackground?: (work: Promise<void>) => void): Required<Stores> {
  return { pets: createDynamoDbPetStore(clients.retrying, tables.pets), ...createDynamoDbAccessStores(clients, tables, inBackground) };
}

/**
 * Creates the stores for accounts and admission alone.
 *
 * @param inBackground see createDynamoDbUsageStore
 * @param audit how changes are recorded; one for all stores of a process, so that entries sort in the order of the changes. @default as by the service
 */
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

/**
 * Creates the stores for projects and domains. They are separate because the catalogue's function needs none of them.
 *
 * @param audit how changes are recorded; one for all stores of a process, so that entries sort in the order of the changes. @default as by the service
 */
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
