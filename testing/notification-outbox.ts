// What every NotificationOutbox must do.

import { expect } from 'expect';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';
import type { Notification } from '../core/notifications/notification.ts';
import type { NotificationOutbox, OutboxEntry } from '../core/notifications/ports.ts';
import { nextNumber } from './projects.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty outbox; called once */
export function notificationOutboxContract(runner: TestFunction, make: Make<NotificationOutbox>, options: SuiteOptions = {}): void {
  let outbox: NotificationOutbox;

  const test = contractSuite(runner, 'NotificationOutbox contract', options, {
    setUp: once(async () => {
      outbox = await make();
    }),
  });

  const sample = (accountId = `acc_outbox${nextNumber()}`, at = NOON): Notification => ({
    id: `quota_warning:${accountId}:${nextNumber()}`,
    accountId,
    at,
    event: { kind: 'quota_warning', day: 20_778, limit: 1_000 },
  });
  const fresh = (notification: Notification): OutboxEntry => ({ notification, attempts: 0, done: [], sentAt: undefined, finished: false });
  const stored = async (notification: Notification) =>
    (await outbox.ofAccount(notification.accountId)).find((entry) => entry.notification.id === notification.id);
  async function added(accountId?: string, at?: number): Promise<Notification> {
    const notification = sample(accountId, at);
    expect(await outbox.add(notification)).toBe(true);
    return notification;
  }
  async function claimed(notification: Notification, now = NOON): Promise<OutboxEntry> {
    const claim = await outbox.claim((await stored(notification)) ?? fresh(notification), now, now + MINUTE_MS);
    if (claim === undefined) throw new Error('not claimed');
    return claim;
  }

  test('adds a notification once, even if it is finished by then or added concurrently', async () => {
    const notification = sample();
    const results = await Promise.all(Array.from({ length: 5 }, () => outbox.add(notification)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await stored(notification)).toEqual(fresh(notification));
    await outbox.finish(await claimed(notification));
    expect(await outbox.add({ ...notification, at: NOON + MINUTE_MS })).toBe(false);
    expect(await stored(notification)).toMatchObject({ notification, finished: true });
  });

  test('lists what is due, longest-waiting first, up to a limit', async () => {
    const account = `acc_outbox${nextNumber()}`;
    const times = [30, 10, 20, 90].map((minutes) => NOON - 100 * MINUTE_MS + minutes * MINUTE_MS);
    const [third, first, second, later] = await Promise.all(times.map((at) => added(account, at)));
    const mine = async (now: number, limit = 1_000) =>
      (await outbox.due(now, limit)).map(({ notification }) => notification.id).filter((id) => id.includes(account));
    expect(await mine(times[0] ?? 0)).toEqual([first?.id, second?.id, third?.id]);
    expect(await outbox.due(times[3] ?? 0, 2)).toHaveLength(2);
    expect(await mine((times[3] ?? 0) - 1)).not.toContain(later?.id);
  });

  test('a notification is also due if a clock that was ahead postponed it by more than the longest pause', async () => {
    const account = `acc_outbox${nextNumber()}`;
    const notification = await added(account);
    const claim = await claimed(notification);
    await outbox.postpone(claim, NOON + 365 * DAY_MS);
    expect((await outbox.due(NOON, 1_000)).map(({ notification: { id } }) => id)).toContain(notification.id);
    expect(await outbox.claim(claim, NOON, NOON + MINUTE_MS)).toMatchObject({ attempts: claim.attempts + 1 });
  });

  test('only one of several concurrent claims gets the notification, which is due again when the claim ends', async () => {
    const notification = await added();
    const entry = fresh(notification);
    const claims = await Promise.all(Array.from({ length: 5 }, () => outbox.claim(entry, NOON, NOON + MINUTE_MS)));
    expect(claims.filter((claim) => claim !== undefined)).toEqual([{ ...entry, attempts: 1 }]);
    expect(await outbox.claim(entry, NOON + MINUTE_MS, NOON + 2 * MINUTE_MS)).toBeUndefined();
    const again = { ...entry, attempts: 1 };
    expect(await outbox.claim(again, NOON + MINUTE_MS - 1, NOON + 2 * MINUTE_MS)).toBeUndefined();
    expect(await outbox.claim(again, NOON + MINUTE_MS, NOON + 2 * MINUTE_MS)).toEqual({ ...entry, attempts: 2 });
    const unknown = sample();
    expect(await outbox.claim(fresh(unknown), NOON, NOON + MINUTE_MS)).toBeUndefined();
  });

  test('records each user once, and when a message was first sent', async () => {
    const notification = await added();
    const claim = await claimed(notification);
    expect(await outbox.markSent(claim, NOON + 1)).toBe(true);
    expect(await outbox.markSent(claim, NOON + 2)).toBe(true);
    for (const user of ['usr_a', 'usr_b', 'usr_a']) expect(await outbox.markDone(claim, user)).toBe(true);
    const entry = await stored(notification);
    expect({ ...entry, done: [...(entry?.done ?? [])].sort() }).toEqual({ ...claim, sentAt: NOON + 1, done: ['usr_a', 'usr_b'] });
  });

  test('a lost claim records which recipients were sent the message, and changes nothing else', async () => {
    const notification = await added();
    const lost = await claimed(notification);
    const claim = await claimed(notification, NOON + MINUTE_MS);
    expect(await outbox.markSent(lost, NOON)).toBe(false);
    expect(await outbox.markDone(lost, 'usr_a')).toBe(false);
    await outbox.postpone(lost, NOON);
    await outbox.finish(lost);
    expect(await stored(notification)).toEqual({ ...claim, done: ['usr_a'] });
    expect(await outbox.claim(claim, NOON + 2 * MINUTE_MS - 1, NOON + 9 * MINUTE_MS)).toBeUndefined();
  });

  test('postpones a notification, and finishes it for good', async () => {
    const notification = await added();
    const claim = await claimed(notification);
    await outbox.postpone(claim, NOON + 10 * MINUTE_MS);
    expect(await outbox.claim(claim, NOON + 10 * MINUTE_MS - 1, NOON + 20 * MINUTE_MS)).toBeUndefined();
    const second = await claimed(notification, NOON + 10 * MINUTE_MS);
    await outbox.finish(second);
    expect(await stored(notification)).toEqual({ ...second, finished: true });
    expect(await outbox.claim(second, NOON + 60 * MINUTE_MS, NOON + 90 * MINUTE_MS)).toBeUndefined();
    const due = await outbox.due(NOON + 60 * MINUTE_MS, 1_000);
    expect(due.filter((entry) => entry.notification.id === notification.id)).toEqual([]);
    await outbox.postpone(second, NOON);
    expect(await stored(notification)).toMatchObject({ finished: true });
  });
}
