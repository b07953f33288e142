// What every NotificationSettings must do.

import { expect } from 'expect';
import { NOTIFICATION_KINDS } from '../core/notifications/notification.ts';
import type { NotificationSettings } from '../core/notifications/ports.ts';
import { nextNumber } from './projects.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty store; called once */
export function notificationSettingsContract(runner: TestFunction, make: Make<NotificationSettings>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'NotificationSettings contract', options, { setUp: once(make) });

  test('a user who has not chosen has turned nothing off; a choice replaces the previous one, for that user only', async (settings) => {
    const [ann, bob] = [`usr_${nextNumber()}`, `usr_${nextNumber()}`];
    expect(await settings.mutedBy(ann)).toEqual([]);
    await settings.mute(ann, NOTIFICATION_KINDS);
    expect([...(await settings.mutedBy(ann))].sort()).toEqual([...NOTIFICATION_KINDS].sort());
    await settings.mute(ann, ['key_banned']);
    expect([await settings.mutedBy(ann), await settings.mutedBy(bob)]).toEqual([['key_banned'], []]);
    await settings.mute(ann, []);
    expect(await settings.mutedBy(ann)).toEqual([]);
  });

  test("a user's first key stays, whatever the user chooses", async (settings) => {
    const [ann, bob] = [`usr_${nextNumber()}`, `usr_${nextNumber()}`];
    expect(await settings.unsubscribeKey(ann)).toBeUndefined();
    await settings.mute(bob, ['key_banned']);
    const keys = await Promise.all(['one', 'two', 'three'].map((fresh) => settings.unsubscribeKey(ann, fresh)));
    expect(new Set(keys).size).toBe(1);
    await settings.mute(ann, ['domain_live']);
    expect([await settings.unsubscribeKey(ann), await settings.unsubscribeKey(ann, 'four')]).toEqual([keys[0], keys[0]]);
    expect([await settings.mutedBy(ann), await settings.mutedBy(bob)]).toEqual([['domain_live'], ['key_banned']]);
    expect([await settings.unsubscribeKey(bob), await settings.unsubscribeKey(bob, 'five')]).toEqual([undefined, 'five']);
    expect(await settings.mutedBy(bob)).toEqual(['key_banned']);
  });

  test('of several replacements based on the same read, only the first succeeds', async (settings) => {
    const ann = `usr_${nextNumber()}`;
    const kinds = NOTIFICATION_KINDS.slice(0, 3);
    const muted = await Promise.all(kinds.map((kind) => settings.mute(ann, [kind], [])));
    expect(muted.filter((each) => each)).toHaveLength(1);
    expect(await settings.mutedBy(ann)).toEqual([kinds[muted.indexOf(true)]]);
    expect(await settings.mute(ann, kinds, [])).toBe(false);
    expect(await settings.mute(ann, kinds, await settings.mutedBy(ann))).toBe(true);
    expect(await settings.mute(ann, [], kinds.toReversed())).toBe(true);
    expect(await settings.mutedBy(ann)).toEqual([]);
  });
}
