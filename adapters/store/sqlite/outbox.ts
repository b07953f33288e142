// The outbox in SQLite. A claim is identified by its attempt number, which the next claim of the same notification increases.

import type { DatabaseSync } from 'node:sqlite';
import { userChanged } from '../../../core/audit/changes.ts';
import { hasSameKinds, type Notification, type NotificationKind } from '../../../core/notifications/notification.ts';
import type { NotificationOutbox, NotificationSettings, OutboxEntry } from '../../../core/notifications/ports.ts';
import { LONGEST_PAUSE_MS } from '../../../core/notifications/schedule.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './database.ts';
import { guarded, transaction, written } from './transaction.ts';

interface Row {
  readonly body: string;
  readonly due_at: number | null;
  readonly attempts: number;
  readonly sent_at: number | null;
  readonly done: string;
}

/** Adds a notification within a transaction, unless it is undefined, already stored, or the outbox is closed (setOutboxOpen). */
export type RecordNotification = (notification: Notification | undefined) => void;

/** Returns the function with which the stores add notifications in the same transaction as the change. */
export function recordNotifications(database: DatabaseSync): RecordNotification {
  const add = prepareAdd(database);
  return (notification) => {
    if (notification !== undefined) add(notification);
  };
}

/** Opens the outbox, or closes and empties it, for all processes, so that the command line adds notifications only while the service sends them. */
export async function setOutboxOpen(database: DatabaseSync, isOpen: boolean): Promise<void> {
  const select = prepareSelect<object>(database, 'SELECT 1 FROM outbox_open');
  if (guarded(() => select.one() !== undefined) === isOpen) return;
  await transaction(database, () =>
    database.exec(isOpen ? 'INSERT OR IGNORE INTO outbox_open VALUES (1)' : 'DELETE FROM outbox_open; DELETE FROM notifications'),
  );
}

function prepareAdd(database: DatabaseSync): (notification: Notification) => boolean {
  const insert = database.prepare(
    'INSERT INTO notifications (id, account_id, at, body, due_at) SELECT ?, ?, ?, ?, ? FROM outbox_open WHERE true ON CONFLICT DO NOTHING',
  );
  return (notification) => {
    const { id, accountId, at } = notification;
    return insert.run(id, accountId, at, JSON.stringify(notification), at).changes === 1;
  };
}

/** A notification is due if its time has come, or is further ahead than the longest pause, and so was set while the clock was wrong. */
const DUE = 'due_at <= ?1 OR due_at > ?2';

/** Creates the outbox. In a new database, it is closed, so `add` returns false. */
export function createSqliteOutbox(database: DatabaseSync): NotificationOutbox {
  const addNow = prepareAdd(database);
  const selectDue = prepareSelect(database, `SELECT * FROM notifications WHERE ${DUE} ORDER BY due_at, id LIMIT ?3`, toEntry);
  const selectOfAccount = prepareSelect(database, 'SELECT * FROM notifications WHERE account_id = ?', toEntry);
  const claim = prepareSelect(
    database,
    `UPDATE notifications SET due_at = ?3, attempts = attempts + 1 WHERE id = ?4 AND attempts = ?5 AND (${DUE}) RETURNING *`,
    toEntry,
  );
  const updateSent = database.prepare('UPDATE notifications SET sent_at = ifnull(sent_at, ?) WHERE id = ? AND attempts = ?');
  const updateDone = database.prepare(
    "UPDATE notifications SET done = CASE WHEN ?1 IN (SELECT value FROM json_each(done)) THEN done ELSE json_insert(done, '$[#]', ?1) END WHERE id = ?2 RETURNING attempts",
  );
  const updateDue = database.prepare('UPDATE notifications SET due_at = ? WHERE id = ? AND attempts = ? AND due_at IS NOT NULL');
  const setDue = async ({ notification, attempts }: OutboxEntry, until: number | null) =>
    written(() => void updateDue.run(until, notification.id, attempts));
  return {
    add: (notification) => transaction(database, () => addNow(notification)),
    due: async (now, limit) => guarded(() => selectDue.all(now, now + LONGEST_PAUSE_MS, limit)),
    claim: async ({ notification, attempts }, now, until) => written(() => claim.one(now, now + LONGEST_PAUSE_MS, until, notification.id, attempts)),
    ofAccount: async (accountId) => guarded(() => selectOfAccount.all(accountId)),
    markSent: async ({ notification, attempts }, now) => written(() => updateSent.run(now, notification.id, attempts).changes === 1),
    markDone: async ({ notification, attempts }, userId) =>
      written(() => (updateDone.get(userId, notification.id) as { attempts: number } | undefined)?.attempts === attempts),
    postpone: setDue,
    finish: (entry) => setDue(entry, null),
  };
}

function toEntry({ body, due_at, attempts, sent_at, done }: Row): OutboxEntry {
  return { notification: JSON.parse(body), attempts, done: JSON.parse(done), sentAt: sent_at ?? undefined, finished: due_at === null };
}

interface KeyRow {
  unsubscribe_key: string | null;
}

/** Creates the store. */
export function createSqliteNotificationSettings(database: DatabaseSync, record: RecordChange): NotificationSettings {
  const select = prepareSelect<{ muted: string }>(database, 'SELECT muted FROM notification_settings WHERE user_id = ?');
  const upsert = database.prepare(
    'INSERT INTO notification_settings (user_id, muted) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET muted = excluded.muted',
  );
  const selectKey = prepareSelect<KeyRow>(database, 'SELECT unsubscribe_key FROM notification_settings WHERE user_id = ?');
  const upsertKey = database.prepare(
    "INSERT INTO notification_settings (user_id, muted, unsubscribe_key) VALUES (?, '[]', ?) ON CONFLICT (user_id) DO UPDATE SET unsubscribe_key = ifnull(unsubscribe_key, excluded.unsubscribe_key) RETURNING unsubscribe_key",
  );
  const mutedBy = (userId: string): NotificationKind[] => JSON.parse(select.one(userId)?.muted ?? '[]');
  return {
    mutedBy: async (userId) => guarded(() => mutedBy(userId)),
    mute: async (userId, kinds, read) =>
      transaction(database, () => {
        if (read !== undefined && !hasSameKinds(read, mutedBy(userId))) return false;
        upsert.run(userId, JSON.stringify(kinds));
        record(userChanged('notifications.set', userId));
        return true;
      }),
    unsubscribeKey: async (userId, fresh) => {
      const stored = guarded(() => selectKey.one(userId)?.unsubscribe_key) ?? undefined;
      if (stored !== undefined || fresh === undefined) return stored;
      return written(() => (upsertKey.get(userId, fresh) as KeyRow | undefined)?.unsubscribe_key ?? undefined);
    },
  };
}
