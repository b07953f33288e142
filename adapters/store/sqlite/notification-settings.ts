// Which notifications users do not want, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { userChanged } from '../../../core/audit/changes.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './select.ts';
import { guarded, transaction } from './transaction.ts';

/** Creates the store. */
export function createSqliteNotificationSettings(database: DatabaseSync, record: RecordChange): NotificationSettings {
  const select = prepareSelect<{ muted: string }>(database, 'SELECT muted FROM notification_settings WHERE user_id = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO notification_settings (user_id, muted) VALUES (?, ?)');
  return {
    mutedBy: async (userId) => guarded(() => JSON.parse(select.one(userId)?.muted ?? '[]')),
    mute: async (userId, kinds) =>
      transaction(database, () => {
        upsert.run(userId, JSON.stringify(kinds));
        record(userChanged('notifications.set', userId));
      }),
  };
}
