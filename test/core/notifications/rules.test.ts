import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';
import type { Notification } from '../../../core/notifications/notification.ts';
import type { OutboxEntry } from '../../../core/notifications/ports.ts';
import { endOfHour, GIVE_UP_AFTER_MS, MOST_PER_HOUR, pauseAfter, usageNotifications } from '../../../core/notifications/schedule.ts';
import { turnOf } from '../../../core/notifications/turn.ts';
import { NOON } from '../../../testing/samples.ts';

const HOUR_MS = 3_600_000;

describe('usage', () => {
  const at = (used: number, limit = 1_000, now = NOON) => usageNotifications({ accountId: 'acc_1', day: { used, limit }, bans: [] }, now);

  test('warns at 80 %, and reports what is used up, once a day each', () => {
    expect([at(0), at(799)]).toEqual([[], []]);
    const { day } = windowsAt(NOON);
    for (const used of [800, 999])
      expect(at(used)).toEqual([
        { id: `quota_warning:acc_1:${day}`, accountId: 'acc_1', at: NOON, event: { kind: 'quota_warning', day, limit: 1_000 } },
      ]);
    for (const used of [1_000, 1_050]) expect(at(used).map(({ id }) => id)).toEqual([`quota_used_up:acc_1:${day}`]);
    expect(at(1_000, 1_000, NOON + DAY_MS).map(({ id }) => id)).toEqual([`quota_used_up:acc_1:${day + 1}`]);
    expect(at(1, 1).map(({ event }) => event.kind)).toEqual(['quota_used_up']);
  });

  test('reports each ban once, whichever process stored it, but not one that is old, in the future or lifted', () => {
    const of = (since: number, until: number, level = 1) =>
      usageNotifications({ accountId: 'acc_1', day: { used: 0, limit: 9 }, bans: [{ keyId: 'key_1', ban: { since, until, level } }] }, NOON);
    expect(of(NOON - 5, NOON + 300_000)).toEqual([
      {
        id: `key_banned:key_1:1:${windowsAt(NOON).day}`,
        accountId: 'acc_1',
        at: NOON - 5,
        event: { kind: 'key_banned', keyId: 'key_1', until: NOON + 300_000 },
      },
    ]);
    expect(of(NOON - 9, NOON + 300_000)[0]?.id).toBe(of(NOON - 5, NOON + 300_000)[0]?.id);
    expect(of(NOON - 5, NOON + 600_000, 2)[0]?.id).not.toBe(of(NOON - 5, NOON + 300_000)[0]?.id);
    // It has ended since, and is news all the same.
    expect(of(NOON - 600_000, NOON - 300_000)).toHaveLength(1);
    expect([of(NOON - HOUR_MS, NOON + 1), of(NOON + 1, NOON + 2), of(NOON - 5, NOON - 60_005)]).toEqual([[], [], []]);
  });
});

describe('turns', () => {
  let count = 0;
  const notification = (subject: string, at = NOON): Notification => {
    count += 1;
    return {
      id: `n${String(count).padStart(6, '0')}`,
      accountId: 'acc_1',
      at,
      event: { kind: 'key_banned', keyId: subject, until: NOON },
    };
  };
  const entry = (fields: Partial<OutboxEntry> = {}): OutboxEntry => ({
    notification: notification(`key_${count}`),
    attempts: 1,
    done: [],
    sentAt: undefined,
    finished: false,
    ...fields,
  });

  test('what is newer about the same thing replaces what waits', () => {
    const [old, recent] = [entry({ notification: notification('key_a') }), entry({ notification: notification('key_a', NOON + 1) })];
    expect(turnOf(old, [old, recent], NOON + 1)).toEqual({ kind: 'replaced' });
    expect(turnOf(recent, [old, recent], NOON + 1)).toEqual({ kind: 'send' });
    expect(turnOf(old, [old, { ...recent, finished: true }], NOON + 1)).toEqual({ kind: 'send' });
    const same = entry({ notification: notification('key_a') });
    expect([turnOf(old, [old, same], NOON).kind, turnOf(same, [old, same], NOON).kind]).toEqual(['replaced', 'send']);
  });

  test('an hour has a limit; what does not fit waits for the next, and what has begun goes on', () => {
    const sent = Array.from({ length: MOST_PER_HOUR }, () => entry({ sentAt: NOON, finished: true }));
    const [next, begun] = [entry(), entry({ sentAt: NOON - 1 })];
    expect(turnOf(next, [next, ...sent.slice(1)], NOON + 1)).toEqual({ kind: 'send' });
    expect(turnOf(next, [next, ...sent], NOON + 1)).toEqual({ kind: 'wait', until: endOfHour(NOON) });
    expect(turnOf(begun, [begun, ...sent], NOON + 1)).toEqual({ kind: 'send' });
    expect(turnOf(next, [next, ...sent], NOON + HOUR_MS)).toEqual({ kind: 'send' });
  });

  test('after a day it is too late', () => {
    const old = entry({ sentAt: NOON });
    expect([turnOf(old, [old], NOON + GIVE_UP_AFTER_MS - 1).kind, turnOf(old, [old], NOON + GIVE_UP_AFTER_MS).kind]).toEqual(['send', 'too_old']);
  });

  test('however fast things change, an hour never has more, and the last news about each thing is sent', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 4 * HOUR_MS }), fc.constantFrom('a', 'b', 'c')), { maxLength: 80 }), (changes) => {
        const all: OutboxEntry[] = changes.map(([after, subject]) => entry({ attempts: 0, notification: notification(subject, NOON + after) }));
        const dueAt = new Map(all.map(({ notification }) => [notification.id, notification.at]));
        for (let now = NOON; now < NOON + 8 * HOUR_MS; now += 60_000) {
          for (const [index, each] of all.entries()) {
            if (each.finished || (dueAt.get(each.notification.id) ?? 0) > now) continue;
            const known = all.filter(({ notification }) => notification.at <= now);
            const turn = turnOf(each, known, now);
            if (turn.kind === 'wait') dueAt.set(each.notification.id, turn.until);
            else all[index] = { ...each, finished: true, ...(turn.kind === 'send' && { sentAt: now }) };
          }
        }
        const sent = all.filter(({ sentAt }) => sentAt !== undefined);
        const hours = Map.groupBy(sent, ({ sentAt = 0 }) => endOfHour(sentAt));
        expect(Math.max(0, ...[...hours.values()].map(({ length }) => length))).toBeLessThanOrEqual(MOST_PER_HOUR);
        expect(all.every(({ finished }) => finished)).toBe(true);
        for (const subject of ['a', 'b', 'c']) {
          const of = all.filter(({ notification: { event } }) => 'keyId' in event && event.keyId === subject);
          const last = of.toSorted((x, y) => x.notification.at - y.notification.at || (x.notification.id < y.notification.id ? -1 : 1)).at(-1);
          if (last !== undefined) expect(last.sentAt).toBeDefined();
        }
      }),
      { numRuns: 50 },
    );
  });
});

test('pauses grow to an hour', () => {
  expect([1, 2, 6, 60].map((attempts) => pauseAfter(attempts) / 60_000)).toEqual([1, 5, 60, 60]);
  expect([pauseAfter(0), endOfHour(NOON), endOfHour(NOON + 1)]).toEqual([60_000, NOON + HOUR_MS, NOON + HOUR_MS]);
});
