// Two domains that were added together, as several workers see them, which may die at any moment.

import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../../adapters/store/memory/outbox.ts';
import { createSqliteOutbox, setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Message } from '../../core/notifications/layout.ts';
import type { MemberEvent, Notification } from '../../core/notifications/notification.ts';
import type { NotificationOutbox } from '../../core/notifications/ports.ts';
import { PAIR_MS, PAIR_WAIT_MS } from '../../core/notifications/schedule.ts';
import { type DeliveryWork, deliver, newMailServerState } from '../../service/notifications/deliver.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeInstallation } from '../support/folders.ts';

const MINUTE_MS = 60_000;
const MEMBERS = ['usr_ann', 'usr_bob'];
const [APEX, WWW] = ['my-shop.test', 'www.my-shop.test'];
const idOf = (host: string) => `dom_${host}`;
const of = (host: string) => ({ projectId: 'prj_1', domainId: idOf(host), host });
let accounts = 0;

const liveAt = (accountId: string, host: string, at: number): Notification => ({
  id: `domain_live:${accountId}:${host}`,
  accountId,
  at,
  event: { kind: 'domain_live', ...of(host), again: false, companionId: idOf(host === APEX ? WWW : APEX) },
});

/** A world in which workers die: their next step throws, after it is done or without being done. */
function makeWorld(outbox: NotificationOutbox, deaths: readonly boolean[] = []) {
  const clock = { now: NOON };
  const sent: Message[] = [];
  const left = [...deaths];
  const mayDie = async <T>(step: () => Promise<T>): Promise<T> => {
    const [before = false, after = false] = [left.shift(), left.shift()];
    if (before) throw new Error('died before');
    const result = await step();
    if (after) throw new Error('died after');
    return result;
  };
  const settings = createMemoryNotificationSettings();
  /** A worker that has just started. */
  const worker = (): DeliveryWork => ({
    outbox: {
      ...outbox,
      claim: (...all) => mayDie(() => outbox.claim(...all)),
      markSent: (...all) => mayDie(() => outbox.markSent(...all)),
      markDone: (...all) => mayDie(() => outbox.markDone(...all)),
      postpone: (...all) => mayDie(() => outbox.postpone(...all)),
      finish: (...all) => mayDie(() => outbox.finish(...all)),
    },
    settings,
    accounts: { getAccount: async (id) => ({ ...sampleAccount(), id, name: 'My shop' }), getKey: async () => undefined },
    projects: { getProject: async () => ({ name: 'Shop' }) as never },
    members: { membersOf: async () => MEMBERS.map((userId) => ({ userId, role: 'owner' as const })) },
    invitations: {} as never,
    randomBytes: (length) => new Uint8Array(length),
    addresses: { addressOf: async (userId) => `${userId}@example.com` },
    mailer: { send: (message) => mayDie(async () => void sent.push(message)) },
    dashboard: 'https://pets.example.com',
    clock: () => clock.now,
    accepted: new Set(),
    server: newMailServerState(),
    warn: () => {},
  });
  /** Adds each notification at its time, and lets two workers look every minute. */
  async function run(notifications: readonly Notification[], minutes: number) {
    let waiting = [...notifications];
    for (const end = clock.now + minutes * MINUTE_MS; clock.now <= end; clock.now += MINUTE_MS) {
      for (const each of waiting.filter(({ at }) => at <= clock.now)) await outbox.add(each);
      waiting = waiting.filter(({ at }) => at > clock.now);
      await Promise.all([worker(), worker()].map((each) => deliver(each, () => {})));
    }
  }
  /** What a member sees: a message that is sent again has the same id. */
  const subjects = (member: string) => [...new Map(sent.filter(({ to }) => to.startsWith(member)).map(({ id, subject }) => [id, subject])).values()];
  return { clock, sent, run, subjects, settings };
}

const folder = makeInstallation();
const stores = openSqliteStores(folder.path);
afterAll(() => {
  stores.close();
  folder.remove();
});

describe.each([
  ['in memory', async () => createMemoryOutbox()],
  [
    'in SQLite',
    async () => {
      await setOutboxOpen(stores.database, true);
      stores.database.exec('DELETE FROM notifications');
      return createSqliteOutbox(stores.database);
    },
  ],
])('a pair %s', (_, makeOutbox) => {
  const newAccount = () => {
    accounts += 1;
    return `acc_pair${accounts}`;
  };

  test('that goes live within minutes causes one message, wherever workers die; later, two', async () => {
    const gap = fc.integer({ min: 0, max: 20 }).map((minutes) => minutes * MINUTE_MS);
    const deaths = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(gap, fc.boolean(), deaths, async (between, isWwwFirst, when) => {
        const world = makeWorld(await makeOutbox(), when);
        const account = newAccount();
        const [first, second] = isWwwFirst ? [WWW, APEX] : [APEX, WWW];
        await world.run([liveAt(account, first, NOON), liveAt(account, second, NOON + between)], 400);
        const expected = between <= PAIR_MS ? [`${APEX} and ${WWW} are live`] : [`${first} is live`, `${second} is live`];
        for (const member of MEMBERS) expect(world.subjects(member)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test('of which one never goes live causes its own message after the wait, and not earlier', async () => {
    const world = makeWorld(await makeOutbox());
    await world.run([liveAt(newAccount(), WWW, NOON)], PAIR_WAIT_MS / MINUTE_MS - 1);
    expect(world.sent).toEqual([]);
    await world.run([], 1);
    expect(world.subjects('usr_ann')).toEqual([`${WWW} is live`]);
  });

  test('is reported as soon as the second is live, and not again after the wait', async () => {
    const world = makeWorld(await makeOutbox());
    const account = newAccount();
    await world.run([liveAt(account, APEX, NOON), liveAt(account, WWW, NOON + 3 * MINUTE_MS)], 3);
    expect(world.sent.map(({ subject }) => subject)).toEqual(MEMBERS.map(() => `${APEX} and ${WWW} are live`));
    expect(world.sent[0]?.text).toContain(`${APEX} and ${WWW}, domains of the project “Shop” in the account “My shop”, are live.`);
    await world.run([], 60);
    expect(world.sent).toHaveLength(2);
  });

  const degraded = (account: string, host: string, at: number): Notification => {
    const event: MemberEvent = { kind: 'domain_degraded', ...of(host), advice: undefined };
    return { id: `domain_degraded:${account}:${host}`, accountId: account, at, event };
  };

  test('of which the first has newer news by then reports the second alone', async () => {
    const world = makeWorld(await makeOutbox());
    const account = newAccount();
    const news = [degraded(account, APEX, NOON + 2 * MINUTE_MS), liveAt(account, WWW, NOON + 5 * MINUTE_MS)];
    await world.run([liveAt(account, APEX, NOON), ...news], 30);
    expect(world.subjects('usr_ann')).toEqual([`${APEX} no longer points here`, `${WWW} is live`]);
  });

  test('of which the second has newer news before it is sent reports the first alone', async () => {
    const world = makeWorld(await makeOutbox());
    const account = newAccount();
    world.clock.now = NOON + 3 * MINUTE_MS;
    const news = [liveAt(account, WWW, NOON + MINUTE_MS), degraded(account, WWW, NOON + 2 * MINUTE_MS)];
    await world.run([liveAt(account, APEX, NOON), ...news], 30);
    expect(world.subjects('usr_ann')).toEqual([`${WWW} no longer points here`, `${APEX} is live`]);
  });

  test('that was stored by an earlier version causes two messages at once', async () => {
    const world = makeWorld(await makeOutbox());
    const account = newAccount();
    const old = [APEX, WWW]
      .map((host) => liveAt(account, host, NOON))
      .map(({ event, ...rest }) => ({ ...rest, event: { ...event, companionId: undefined } }));
    await world.run(JSON.parse(JSON.stringify(old)), 0);
    expect(world.subjects('usr_ann')).toEqual([`${APEX} is live`, `${WWW} is live`]);
  });
});
