// The outbox, and which notifications users want. A claim is identified by the number of its attempt, which the next claim increments.

import type { NotificationKind, NotificationOutbox, NotificationSettings, OutboxEntry } from 'petstore-platform';
import { hasSameKinds, LONGEST_PAUSE_MS, userChanged } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import { type Log, NOTIFY, notifyValues } from './log.ts';

interface Row {
  readonly body: string;
  readonly due_at: bigint | null;
  readonly attempts: bigint;
  readonly sent_at: bigint | null;
  readonly done: readonly string[];
}

/** A notification is due if its time has come, or is further ahead than the longest pause, and so was set while the clock was wrong. */
const IS_DUE = '(due_at <= $1::bigint OR due_at > $2::bigint)';

const DUE: Statement = { text: `SELECT * FROM notifications WHERE ${IS_DUE} ORDER BY due_at, id LIMIT $3` };
const CLAIM: Statement = {
  text: `UPDATE notifications SET due_at = $3::bigint, attempts = attempts + 1 WHERE id = $4 AND attempts = $5 AND ${IS_DUE} RETURNING *`,
};
const OF_ACCOUNT: Statement = { text: 'SELECT * FROM notifications WHERE account_id = $1' };
const SENT: Statement = { text: 'UPDATE notifications SET sent_at = coalesce(sent_at, $3::bigint) WHERE id = $1 AND attempts = $2 RETURNING id' };
const DONE: Statement = {
  text: `UPDATE notifications SET done = CASE WHEN $2::text = ANY (done) THEN done ELSE array_append(done, $2::text) END WHERE id = $1 RETURNING attempts`,
};
const SET_DUE: Statement = { text: 'UPDATE notifications SET due_at = $3::bigint WHERE id = $1 AND attempts = $2 AND due_at IS NOT NULL' };

/** Creates the outbox. In a new database, it is closed, so `add` returns false. */
export function createOutbox(database: Database): NotificationOutbox {
  const setDue = async ({ notification, attempts }: OutboxEntry, until: number | null) =>
    void (await database.query(SET_DUE, [notification.id, attempts, until]));
  return {
    add: async (notification) => (await database.query(NOTIFY, notifyValues(notification))).length === 1,
    due: async (now, limit) => (await database.query<Row>(DUE, [now, now + LONGEST_PAUSE_MS, limit])).map(toEntry),
    claim: async ({ notification, attempts }, now, until) =>
      (await database.query<Row>(CLAIM, [now, now + LONGEST_PAUSE_MS, until, notification.id, attempts])).map(toEntry)[0],
    ofAccount: async (accountId) => (await database.query<Row>(OF_ACCOUNT, [accountId])).map(toEntry),
    markSent: async ({ notification, attempts }, now) => (await database.query(SENT, [notification.id, attempts, now])).length === 1,
    markDone: async ({ notification, attempts }, userId) => {
      const [row] = await database.query<{ attempts: bigint }>(DONE, [notification.id, userId]);
      return row !== undefined && Number(row.attempts) === attempts;
    },
    postpone: setDue,
    finish: (entry) => setDue(entry, null),
  };
}

function toEntry({ body, due_at, attempts, sent_at, done }: Row): OutboxEntry {
  return {
    notification: JSON.parse(body),
    attempts: Number(attempts),
    done,
    sentAt: sent_at === null ? undefined : Number(sent_at),
    finished: due_at === null,
  };
}

const MUTED: Statement = { text: 'SELECT muted FROM notification_settings WHERE user_id = $1' };
const ENSURE: Statement = { text: 'INSERT INTO notification_settings (user_id) VALUES ($1) ON CONFLICT DO NOTHING' };
const MUTED_LOCKED: Statement = { text: 'SELECT muted FROM notification_settings WHERE user_id = $1 FOR UPDATE' };
const MUTE: Statement = { text: 'UPDATE notification_settings SET muted = $2 WHERE user_id = $1' };
const KEY: Statement = { text: 'SELECT unsubscribe_key AS key FROM notification_settings WHERE user_id = $1' };
const SET_KEY: Statement = {
  text: `INSERT INTO notification_settings AS known (user_id, unsubscribe_key) VALUES ($1, $2)
    ON CONFLICT (user_id) DO UPDATE SET unsubscribe_key = coalesce(known.unsubscribe_key, excluded.unsubscribe_key) RETURNING unsubscribe_key AS key`,
};

/** Creates the notification settings store. */
export function createNotificationSettings(database: Database, log: Log): NotificationSettings {
  const kinds = (rows: readonly { readonly muted: readonly string[] }[]) => (rows[0]?.muted ?? []) as readonly NotificationKind[];
  return {
    mutedBy: async (userId) => kinds(await database.query(MUTED, [userId])),
    mute: (userId, muted, read) =>
      durably(database, async (transaction) => {
        transaction.send(ENSURE, [userId]);
        if (read !== undefined && !hasSameKinds(read, kinds(await transaction.query(MUTED_LOCKED, [userId])))) return false;
        transaction.send(MUTE, [userId, muted]);
        log.record(transaction, userChanged('notifications.set', userId));
        return true;
      }),
    unsubscribeKey: async (userId, fresh) => {
      const [stored] = await database.query<{ key: string | null }>(KEY, [userId]);
      if (typeof stored?.key === 'string' || fresh === undefined) return stored?.key ?? undefined;
      return (await database.query<{ key: string }>(SET_KEY, [userId, fresh]))[0]?.key;
    },
  };
}
