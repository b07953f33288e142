// What every NotificationSettings must do.

import { beforeAll, describe, expect, test } from 'vitest';
import { NOTIFICATION_KINDS } from '../../core/notifications/notification.ts';
import type { NotificationSettings } from '../../core/notifications/ports.ts';
import { nextNumber } from '../support/projects.ts';

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function notificationSettingsContract(name: string, makeStore: () => Promise<NotificationSettings>): void {
  describe(`NotificationSettings contract: ${name}`, () => {
    let settings: NotificationSettings;

    beforeAll(async () => {
      settings = await makeStore();
    });

    test('a user who has not chosen has turned nothing off; a choice replaces the one before, for that user only', async () => {
      const [ann, bob] = [`usr_${nextNumber()}`, `usr_${nextNumber()}`];
      expect(await settings.mutedBy(ann)).toEqual([]);
      await settings.mute(ann, NOTIFICATION_KINDS);
      expect([...(await settings.mutedBy(ann))].sort()).toEqual([...NOTIFICATION_KINDS].sort());
      await settings.mute(ann, ['key_banned']);
      expect([await settings.mutedBy(ann), await settings.mutedBy(bob)]).toEqual([['key_banned'], []]);
      await settings.mute(ann, []);
      expect(await settings.mutedBy(ann)).toEqual([]);
    });
  });
}
