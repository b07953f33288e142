// Which notifications users do not want, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import { prepareSelect } from './select.ts';
import { guarded, written } from './transaction.ts';

/** Creates the store. */
export function createSqliteNotificationSettings(database: DatabaseSync): NotificationSettings {
  const select = prepareSelect<{ muted: string }>(database, 'SELECT muted FROM notification_settings WHERE user_id = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO notification_settings (user_id, muted) VALUES (?, ?)');
  return {
    mutedBy: async (userId) => guarded(() => JSON.parse(select.one(userId)?.muted ?? '[]')),
    mute: async (userId, kinds) => written(() => void upsert.run(userId, JSON.stringify(kinds))),
  };
}
