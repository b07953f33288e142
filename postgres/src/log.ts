// What is stored with a change, in its transaction: an audit log entry, and the notification that the change causes.

import { randomBytes } from 'node:crypto';
import type { AdapterContext, Notification } from 'petstore-platform';
import { type Change, createAuditor } from 'petstore-platform/stores';
import type { Statement, Transaction } from './database.ts';

export interface Log {
  /** Adds an entry. Does nothing for undefined. Throws, so that nothing is changed, if it is not known who is acting. */
  record(transaction: Transaction, change: Change | undefined): void;
  /** Adds a notification to the outbox. Does nothing if it is undefined or already stored, or while the outbox is closed. */
  notify(transaction: Transaction, notification: Notification | undefined): void;
}

const INSERT: Statement = {
  name: 'audit',
  text: 'INSERT INTO audit (id, at, account_id, action, subject, actor, details) VALUES ($1, $2, $3, $4, $5, $6, $7)',
};
/** Adds a notification; its row is returned if it was added. */
export const NOTIFY: Statement = {
  name: 'notify',
  text: `INSERT INTO notifications (id, account_id, at, body, due_at) SELECT $1, $2, $3::bigint, $4, $3::bigint FROM outbox_open
    ON CONFLICT DO NOTHING RETURNING id`,
};

/** Returns the values of NOTIFY. */
export function notifyValues(notification: Notification): readonly (string | number)[] {
  return [notification.id, notification.accountId, notification.at, JSON.stringify(notification)];
}

/** Creates the log for a host. */
export function createLog({ clock, actor }: AdapterContext): Log {
  const entryOf = createAuditor(clock, actor, randomBytes);
  return {
    record: (transaction, change) => {
      if (change === undefined) return;
      const { id, at, accountId = null, action, subject, actor: by, details } = entryOf(change);
      transaction.send(INSERT, [id, at, accountId, action, subject, JSON.stringify(by), details === undefined ? null : JSON.stringify(details)]);
    },
    notify: (transaction, notification) => {
      if (notification !== undefined) transaction.send(NOTIFY, notifyValues(notification));
    },
  };
}
