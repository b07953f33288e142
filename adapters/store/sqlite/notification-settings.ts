// Which notifications users do not want, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { userChanged } from '../../../core/audit/changes.ts';
import { hasSameKinds, type NotificationKind } from '../../../core/notifications/notification.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './select.ts';
import { guarded, transaction } from './transaction.ts';

/** Creates the store. */
export function createSqliteNotificationSettings(database: DatabaseSync, record: RecordChange): NotificationSettings {
  const select = prepareSelect<{ muted: string }>(database, 'SELECT muted FROM notification_settings WHERE user_id = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO notification_settings (user_id, muted) VALUES (?, ?)');
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
  };
}
