// The embedded stores: all ports, on one data folder's database.

import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeployTokenStore, InvitationStore, MemberStore } from '../../../core/access/ports.ts';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../../core/answers/ports.ts';
import type { AuditLog } from '../../../core/audit/ports.ts';
import type { DomainStore } from '../../../core/domains/ports.ts';
import type { DomainQueue } from '../../../core/domains/queue.ts';
import type { NotificationOutbox, NotificationSettings, UsageSurvey } from '../../../core/notifications/ports.ts';
import type { Stores } from '../../../core/ports.ts';
import type { FileRemovalStore, ProjectStore } from '../../../core/projects/ports.ts';
import { createSqliteAccountStore } from './accounts.ts';
import { type AuditOptions, createSqliteAuditLog, type RecordChange, recordChanges } from './audit.ts';
import { openDatabase, prepareSelect } from './database.ts';
import { createSqliteDomainStore } from './domains.ts';
import { createSqliteFileRemovalStore, removeExpiredRows } from './expired-rows.ts';
import { createSqliteInvitationStore, createSqliteMemberStore } from './members.ts';
import { createSqliteNotificationSettings, createSqliteOutbox, recordNotifications } from './outbox.ts';
import { createSqlitePetStore } from './pets.ts';
import { createSqliteDeployTokenStore, createSqliteProjectStore } from './projects.ts';
import { guarded, transaction, written } from './transaction.ts';
import { createSqliteUsageStore } from './usage.ts';
import { createSqliteUsageSurvey } from './usage-history.ts';

/** Pause between two steps of a removal, in milliseconds: about as long as a step takes. */
const REST_MS = 5;

export interface SqliteStores extends Stores {
  readonly projects: ProjectStore;
  readonly removals: FileRemovalStore;
  readonly domains: DomainStore & DomainQueue;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly answers: AnswerStore;
  readonly outbox: NotificationOutbox;
  readonly notificationSettings: NotificationSettings;
  readonly survey: UsageSurvey;
  readonly audit: AuditLog;
  /** Adds an entry to the audit log within a transaction of `database`. */
  readonly recordChange: RecordChange;
  /** For other embedded parts that have their own tables: edge map, certificates, sandbox records. */
  readonly database: DatabaseSync;
  /** Removes rows that have expired. @param now milliseconds since 1970 @returns the number removed from each table */
  removeExpired(now: number, isTimeLeft: () => boolean): Promise<Readonly<Record<string, number>>>;
  /** Whether the database responds. The cost does not depend on its size. */
  isResponding(): boolean;
  /** Makes all ports except `usage` reject changes with a StoreFault, or accept them again. */
  setReadOnly(isReadOnly: boolean): void;
  /** Closes the database; all ports then reject with a StoreFault. Can be called repeatedly. */
  close(): void;
}

export interface SqliteOptions extends AuditOptions {
  /** Whether another adapter stores accounts and keys, so that members and projects refer to accounts not in this database. @default false */
  readonly accountsElsewhere?: boolean;
}

/**
 * Opens a data folder's stores; creates them if they don't exist.
 *
 * @example const { pets, accounts, usage, close } = openSqliteStores('data');
 */
export function openSqliteStores(folder: string, { accountsElsewhere = false, ...audit }: SqliteOptions = {}): SqliteStores {
  // Animals, accounts and keys must survive a power cut. Counters need not, and are written for every request.
  const catalogue = openDatabase(folder, 'power_loss', !accountsElsewhere);
  const counters = openDatabase(folder, 'crash', !accountsElsewhere);
  const notify = recordNotifications(catalogue);
  const record = recordChanges(catalogue, audit);
  const probe = catalogue.prepare('SELECT 1');
  return {
    pets: createSqlitePetStore(catalogue),
    accounts: createSqliteAccountStore(catalogue, notify, record),
    usage: createSqliteUsageStore(counters),
    projects: createSqliteProjectStore(catalogue, record),
    removals: createSqliteFileRemovalStore(catalogue, record),
    domains: createSqliteDomainStore(catalogue, notify, record),
    members: createSqliteMemberStore(catalogue, notify, record),
    invitations: createSqliteInvitationStore(catalogue, notify, record),
    deployTokens: createSqliteDeployTokenStore(catalogue, record),
    answers: createSqliteAnswerStore(catalogue),
    outbox: createSqliteOutbox(catalogue),
    notificationSettings: createSqliteNotificationSettings(catalogue, record),
    survey: createSqliteUsageSurvey(counters),
    audit: createSqliteAuditLog(catalogue, record),
    recordChange: record,
    database: catalogue,
    // Rows that a power cut restores are removed again later, so no step waits for the disk.
    removeExpired: (now, isTimeLeft) => removeExpiredRows(counters, now, { isTimeLeft, rest: () => sleep(REST_MS) }),
    isResponding: () => guarded(() => probe.get() !== undefined),
    setReadOnly: (isReadOnly) => catalogue.exec(`PRAGMA query_only = ${isReadOnly ? 'ON' : 'OFF'}`),
    close: () => {
      for (const database of [counters, catalogue]) if (database.isOpen) database.close();
    },
  };
}

/** Maximum number of expired responses that one claim deletes. */
const CLEAR_AT_ONCE = 10;

/** Creates the store of responses. */
function createSqliteAnswerStore(database: DatabaseSync): AnswerStore {
  const select = prepareSelect<{ fingerprint: string; answer: string | null; claimed_until: number }>(
    database,
    'SELECT fingerprint, answer, claimed_until FROM answers WHERE id = ? AND expires_at > ?',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO answers (id, fingerprint, answer, claimed_until, expires_at) VALUES (?, ?, NULL, ?, ?)');
  const update = database.prepare('UPDATE answers SET answer = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM answers WHERE id = ? AND answer IS NULL');
  const clear = database.prepare('DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE expires_at <= ? LIMIT ?)');
  return {
    claim: (id, fingerprint, now) =>
      transaction(database, () => {
        clear.run(now, CLEAR_AT_ONCE);
        const known = select.one(id, now);
        if (known !== undefined && known.fingerprint !== fingerprint) return { kind: 'reused' };
        if (known?.answer) return { kind: 'answered', answer: known.answer };
        if (known !== undefined && known.claimed_until > now) return { kind: 'in_progress' };
        insert.run(id, fingerprint, now + CLAIM_MS, now + ANSWER_KEPT_MS);
        return { kind: 'claimed' };
      }),
    keep: (id, answer) => written(() => void update.run(answer, id)),
    release: (id) => written(() => void remove.run(id)),
  };
}
